import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Script } from 'node:vm'
import type { runHook } from '../run-hook.ts'

/** What the bundled program is: a function that fills in its exports, and gets what few calls need with `importLate`. */
type Program = (
  exports: object,
  module: { exports: { runHook: typeof runHook } },
  importLate: () => Promise<unknown>,
) => void

export interface LoadedProgram {
  runHook: typeof runHook
  /** Keeps compiled code for the next start of this kind, if none was kept. */
  keepCompiled: () => void
}

export interface ProgramPlace {
  file: string
  /** Where compiled code is kept. */
  cache: string
  /** The kind of start: each needs other parts of the program. */
  kind: string
  importLate: () => Promise<unknown>
}

/**
 * Loads the program as a script with its compiled code, which takes half as long as a module does. V8
 * tells sources apart by little more than their length, so that compiled code is named after the hash
 * which the build puts on the first line.
 */
export const loadProgram = ({ file, cache, kind, importLate }: ProgramPlace): LoadedProgram => {
  const source = readFileSync(file, 'utf8')
  const version = `${source.slice(2, source.indexOf('\n'))}-${process.version}`
  const kept = join(cache, `${version}-${kind.replaceAll(/\W+/g, '-')}`)
  const cachedData = readIfAny(kept)
  const script = new Script(source, { filename: file, ...(cachedData && { cachedData }) })
  const module: Parameters<Program>[1] = { exports: { runHook: () => Promise.resolve(0) } }
  const program: Program = script.runInThisContext()
  program(module.exports, module, importLate)
  const isKept = cachedData !== undefined && script.cachedDataRejected !== true
  return {
    runHook: module.exports.runHook,
    keepCompiled: () => {
      if (!isKept) keep(cache, version, kept, script.createCachedData())
    },
  }
}

const readIfAny = (file: string): Buffer | undefined => {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}

/** Without it the next start takes longer, and that is all. */
const keep = (cache: string, version: string, file: string, data: Buffer): void => {
  try {
    mkdirSync(cache, { recursive: true })
    for (const name of readdirSync(cache)) {
      if (!name.startsWith(version)) rmSync(join(cache, name), { recursive: true, force: true })
    }
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, data, { flush: true })
    renameSync(draft, file)
  } catch {
    // The data home may be read-only.
  }
}
