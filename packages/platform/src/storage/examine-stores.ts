import { accessSync, constants, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { ERRORS, parseJson, StewardError } from '@steward/contract'
import { isMissing } from '../error-code.ts'
import type { Home } from '../home/home.ts'
import { storageErrorOf } from '../storage-error.ts'

/** A store that cannot be used, and what to do about it. */
export interface StoreProblem {
  /** Its path in the data home: `state/history.sqlite`. */
  store: string
  message: string
  remedy: string
  /** Whether something that was asked for fails because of it. */
  blocks: boolean
  /** The note that tells of it, when it is a matter of the past. */
  note?: string
}

export const describeStoreProblem = (
  home: Pick<Home, 'root'>,
  path: string,
  error: StewardError,
): StoreProblem => ({
  store: relative(home.root, path) || '.',
  message: error.message,
  remedy: error.remedy,
  blocks: true,
})

/** Indexes that are made again when they cannot be used. */
const REBUILDABLE = new Set(['search.sqlite'])

/** The databases of the data home that hold what cannot be made again. */
export const listDatabaseFiles = (home: Pick<Home, 'databases'>): string[] =>
  [home.databases, join(home.databases, 'edge')].flatMap((folder) =>
    namesIn(folder)
      .filter((name) => name.endsWith('.sqlite') && !REBUILDABLE.has(name))
      .map((name) => join(folder, name)),
  )

/** Folders and databases that are gone or that we may not read or write. Reads and writes nothing itself. */
export const examineAccess = (home: Home): StoreProblem[] => {
  const folders = [home.root, home.stateDir, home.observability, home.databases, home.output]
  const denied = [...folders, ...listDatabaseFiles(home)].flatMap((path) => {
    try {
      accessSync(path, constants.R_OK | constants.W_OK)
      return []
    } catch (thrown) {
      return [describeStoreProblem(home, path, toProblem(path, thrown))]
    }
  })
  return denied
}

const toProblem = (path: string, thrown: unknown): StewardError =>
  isMissing(thrown)
    ? new StewardError('storage_lost', { path, reason: 'it was removed' }, thrown)
    : storageErrorOf(path, thrown)

/** Files of people and of Steward that must be JSON and are not: cut short, for example. */
export const examineJsonFiles = (home: Home): StoreProblem[] =>
  [
    join(home.user.flows, 'flow-index.json'),
    join(home.user.flows, 'feeds.json'),
    home.flowState,
  ].flatMap((path) => {
    const error = readJsonProblem(path)
    if (error === undefined) return []
    return [
      {
        ...describeStoreProblem(home, path, error),
        remedy: ERRORS.invalid_definition.remedy,
        blocks: false,
      },
    ]
  })

const readJsonProblem = (path: string): StewardError | undefined => {
  try {
    const parsed = parseJson(readFileSync(path, 'utf8'), path)
    return parsed.ok ? undefined : parsed.error
  } catch (thrown) {
    return isMissing(thrown) ? undefined : storageErrorOf(path, thrown, 'it cannot be read')
  }
}

const LOSS_NOTE = /^(.+)\.lost-[^/]+\.txt$/

/** Notes that a store had to be created anew because the old one was gone. They stay until someone removes them. */
export const findLossNotes = (home: Pick<Home, 'root' | 'databases'>): StoreProblem[] =>
  namesIn(home.databases).flatMap((name) => {
    const store = LOSS_NOTE.exec(name)?.[1]
    if (store === undefined) return []
    const path = join(home.databases, name)
    const [message = ''] = readFileSync(path, 'utf8').split('\n', 1)
    const remedy = `Restore a backup with \`steward restore\`, or remove ${path} to accept the loss.`
    return [
      {
        store: relative(home.root, join(home.databases, store)),
        message,
        remedy,
        blocks: false,
        note: path,
      },
    ]
  })

const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder)
  } catch (thrown) {
    // Whoever looks at the folder itself says why it cannot be read.
    if (thrown instanceof Error) return []
    throw thrown
  }
}
