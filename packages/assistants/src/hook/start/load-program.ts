import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Script } from 'node:vm'
import type { runHook } from '../run-hook.ts'

/**
 * The bundled program: a function that sets its exports and loads rarely needed parts with
 * `importLate`.
 */
type Program = (
  exports: object,
  module: { exports: { runHook: typeof runHook } },
  importLate: () => Promise<unknown>,
) => void

export interface LoadedProgram {
  runHook: typeof runHook
  /** Caches compiled code for the next start of this kind, if missing. */
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
 * Loads the program as a script with cached compiled code, which takes half the time of a module.
 * V8 distinguishes sources by little more than their length, so the cache is named after the hash
 * that the build puts on the first line.
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

/** Without the cache the next start is only slower. */
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
