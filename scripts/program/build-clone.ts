/**
 * Builds the program of a clone into packages/cli/dist, for the launcher
 * (packages/cli/bin/clone-build.mjs): a folder per build, and `current`, which only ever points to
 * a complete one.
 */
import { existsSync, readdirSync } from 'node:fs'
import { mkdir, readdir, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { reasonOf } from '@steward/contract'
import { isAlive, withLock } from '@steward/platform'
import {
  isCurrent,
  READERS,
  SOURCES_CHANGED,
  type Stamp,
  stampOf,
} from '../../packages/cli/bin/clone-build.mjs'
import { bundleProgram, type Program } from './bundle-program.ts'
import { inputsByCommand, NO_COMMAND } from './command-inputs.ts'
import { hashActions } from './hash-actions.ts'
import { writeProgram } from './write-program.ts'

const root = join(import.meta.dirname, '../..')
const dist = join(root, 'packages/cli/dist')

const TELL_AFTER_MS = 2000
const LOCK_WAIT_MS = 120_000
/** Timestamps of files are coarser than the clock. */
const SETTLED_MS = 50

/**
 * Builds unless the files of `word` are unchanged since the last build; `say` is called when it
 * takes long. Resolves to false if sources changed meanwhile, because this process may have read
 * older versions.
 */
const buildClone = async (word: string, say: (line: string) => void): Promise<boolean> => {
  const timer = setTimeout(
    () => say('steward: compiling, once after the sources changed…\n'),
    TELL_AFTER_MS,
  )
  try {
    await mkdir(dist, { recursive: true })
    return await withLock(join(dist, 'build.lock'), () => buildUnlessCurrent(word), {
      waitMs: LOCK_WAIT_MS,
    })
  } finally {
    clearTimeout(timer)
  }
}

const buildUnlessCurrent = async (word: string): Promise<boolean> => {
  if (isCurrent(join(dist, 'current'), root, word)) return true
  const program = await bundleProgram({
    actionHashes: hashActions(join(root, 'library/actions')),
    withActions: true,
  })
  const inputs = stampInputs(program)
  const newestMs = Math.max(...[...inputs.values()].flat().map(([, changedMs]) => changedMs))
  if (newestMs >= performance.timeOrigin - SETTLED_MS) return false
  await putInPlace(program, inputs)
  return true
}

/** Files that affect how all imports are resolved and compiled. */
const SHARED_INPUTS = ['package.json', 'tsconfig.json', 'node_modules/.package-lock.json']

const stampInputs = ({ metafile, indexes }: Program): Map<string, Stamp[]> => {
  const manifests = [
    'library',
    ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}`),
  ]
  const own = readdirSync(import.meta.dirname).map((name) => `scripts/program/${name}`)
  const shared = [
    ...SHARED_INPUTS,
    ...manifests.map((folder) => `${folder}/package.json`),
    ...own,
    ...indexes,
  ]
  const present = shared.filter((file) => existsSync(join(root, file)))
  return new Map(
    [...inputsByCommand(metafile)].map(([word, files]) => [
      word,
      [...new Set([...present, ...files])].map((file) => stampOf(root, file)),
    ]),
  )
}

const putInPlace = async (program: Program, inputs: ReadonlyMap<string, Stamp[]>) => {
  const name = `build-${Date.now()}-${process.pid}`
  const folder = join(dist, name)
  await mkdir(join(folder, 'inputs'), { recursive: true })
  await mkdir(join(folder, READERS))
  await writeProgram(folder, program)
  for (const [word, stamps] of inputs) {
    await writeFile(join(folder, 'inputs', `${word}.json`), JSON.stringify(stamps))
  }
  const before = await readlink(join(dist, 'current')).catch(() => undefined)
  const link = join(dist, `${name}.link`)
  await symlink(name, link)
  await rename(link, join(dist, 'current'))
  // Another process may be about to read the last build, and a daemon reads chunks of its build for days.
  for (const entry of await readdir(dist)) {
    if (!/^build-\d+-\d+/.test(entry) || entry === name || entry === before) continue
    if (!(await isRead(entry))) await rm(join(dist, entry), { recursive: true, force: true })
  }
}

const isRead = async (build: string): Promise<boolean> => {
  const pids = await readdir(join(dist, build, READERS)).catch(() => [])
  return pids.some((pid) => isAlive(Number(pid)))
}

if (import.meta.main) {
  const say = (line: string) => process.stderr.write(line)
  try {
    const isBuilt = await buildClone(process.argv[2] ?? NO_COMMAND, say)
    process.exitCode = isBuilt ? 0 : SOURCES_CHANGED
  } catch (thrown) {
    say(`steward: could not compile, so this runs from the sources: ${reasonOf(thrown)}\n`)
    process.exitCode = 1
  }
}
