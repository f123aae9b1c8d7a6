import { accessSync, constants, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { ERRORS, KNOWLEDGE_DOMAINS, parseJson, StewardError } from '@steward/contract'
import { isMissing } from '../error-code.ts'
import type { Home } from '../home/home.ts'
import { storageErrorOf } from '../storage-error.ts'

/** A store that cannot be used, with a remedy. */
export interface StoreProblem {
  /** Its path in the data home, for example `state/history.sqlite`. */
  store: string
  message: string
  remedy: string
  /** Whether requests fail because of it. */
  blocks: boolean
  /** The path of the note that records it, if the problem is in the past. */
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

/** Indexes that are rebuilt if they cannot be used. */
const REBUILDABLE = new Set(['search.sqlite', 'sessions.sqlite'])

/** The databases of the data home whose content cannot be rebuilt. */
export const listDatabaseFiles = (home: Pick<Home, 'databases'>): string[] =>
  [home.databases, join(home.databases, 'edge')].flatMap((folder) =>
    namesIn(folder)
      .filter((name) => name.endsWith('.sqlite') && !REBUILDABLE.has(name))
      .map((name) => join(folder, name)),
  )

/** A folder of the data home with stores in it. */
interface StoreFolder {
  path: string
  /** Which of its files are stores. */
  files?: RegExp
  /** It is created at every start, so it must be there. */
  isRequired?: true
  /** Steward only reads it; people may protect it from changes. */
  isReadOnly?: true
  /** Whether requests fail without it. */
  blocks?: true
}

const STATE_FILES = /\.(jsonl?|sqlite(-wal|-shm)?)$/

const listStoreFolders = (home: Home): StoreFolder[] => [
  { path: home.root, isRequired: true, blocks: true },
  { path: home.root, files: /^(settings\.json|\.env|token)$/, isReadOnly: true, blocks: true },
  { path: home.databases, files: STATE_FILES, isRequired: true, blocks: true },
  { path: join(home.databases, 'edge'), files: STATE_FILES, blocks: true },
  { path: home.payloads, blocks: true },
  { path: home.stateDir, files: STATE_FILES, isRequired: true, blocks: true },
  { path: home.observability, files: STATE_FILES, isRequired: true, blocks: true },
  { path: home.output, isRequired: true, blocks: true },
  { path: home.voice, files: STATE_FILES },
  { path: home.security, files: STATE_FILES },
  { path: home.learning },
  { path: join(home.learning, 'SIGNALS'), files: STATE_FILES },
  { path: home.work },
  { path: home.knowledge },
  ...KNOWLEDGE_DOMAINS.map((domain) => ({ path: join(home.knowledge, domain) })),
  { path: home.user.assistant, files: /\.(md|yaml)$/ },
  { path: join(home.user.assistant, 'diary') },
  { path: home.user.flows, files: /\.json$/, isReadOnly: true },
  { path: join(home.root, 'hosted'), files: /\.(json|key)$/ },
]

/**
 * Finds stores that are missing, lack permissions, or are replaced by something else. Reads and
 * writes no content.
 */
export const examineAccess = (home: Home): StoreProblem[] => {
  const problems = listStoreFolders(home).flatMap((folder) => {
    const paths = namesIn(folder.path)
      .filter((name) => folder.files?.test(name))
      .map((name) => join(folder.path, name))
    const errors = [
      [folder.path, examineStore(folder.path, 'folder', folder)] as const,
      ...paths.map((path) => [path, examineStore(path, 'file', folder)] as const),
    ]
    return errors.flatMap(([path, error]) =>
      error === undefined
        ? []
        : [{ ...describeStoreProblem(home, path, error), blocks: folder.blocks === true }],
    )
  })
  // A folder that cannot be used explains everything in it.
  const isInside = (inner: string, outer: string): boolean =>
    outer === '.' ? inner !== '.' : inner.startsWith(`${outer}/`)
  return problems.filter(({ store }) => !problems.some((other) => isInside(store, other.store)))
}

const examineStore = (
  path: string,
  kind: 'folder' | 'file',
  { isRequired, isReadOnly }: StoreFolder,
): StewardError | undefined => {
  try {
    const found = statSync(path)
    if (kind === 'folder' && !found.isDirectory()) return misplaced(path, 'it is not a folder')
    if (kind === 'file' && !found.isFile()) return misplaced(path, 'it is not a file')
    accessSync(path, isReadOnly ? constants.R_OK : constants.R_OK | constants.W_OK)
    // Without this permission the content of a folder cannot be reached.
    if (kind === 'folder') accessSync(path, constants.X_OK)
    return undefined
  } catch (thrown) {
    // A file may be removed while it is examined.
    if (isMissing(thrown) && (kind === 'file' || !isRequired)) return undefined
    return toProblem(path, thrown)
  }
}

const misplaced = (path: string, reason: string): StewardError =>
  new StewardError('storage_failed', { path, reason })

const toProblem = (path: string, thrown: unknown): StewardError =>
  isMissing(thrown)
    ? new StewardError('storage_lost', { path, reason: 'it was removed' }, thrown)
    : storageErrorOf(path, thrown)

/** Parsing a larger file every minute would delay requests; its module reports if it is damaged. */
const LARGEST_PARSED_BYTES = 1_000_000

/**
 * Finds files of people and of Steward that must be JSON but are not, for example because they are
 * truncated.
 */
export const examineJsonFiles = (home: Home): StoreProblem[] =>
  listJsonFiles(home).flatMap((path) => {
    const error = readJsonProblem(path)
    if (error === undefined) return []
    const problem = describeStoreProblem(home, path, error)
    return [{ ...problem, remedy: ERRORS.invalid_definition.remedy, blocks: false }]
  })

const listJsonFiles = (home: Home): string[] => [
  ...[home.databases, home.stateDir].flatMap((folder) =>
    namesIn(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => join(folder, name)),
  ),
  join(home.user.flows, 'flow-index.json'),
  join(home.user.flows, 'feeds.json'),
]

const readJsonProblem = (path: string): StewardError | undefined => {
  try {
    const found = statSync(path)
    if (!found.isFile() || found.size > LARGEST_PARSED_BYTES) return undefined
    const parsed = parseJson(readFileSync(path, 'utf8'), path)
    return parsed.ok ? undefined : parsed.error
  } catch (thrown) {
    // The check of access reports a file that cannot be opened.
    if (thrown instanceof Error) return undefined
    throw thrown
  }
}

const LOSS_NOTE = /^(.+)\.lost-[^/]+\.txt$/

/**
 * Finds notes about stores that were recreated because the old one was missing. Notes stay until a
 * person removes them.
 */
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
    // The check of the folder itself reports why it cannot be read.
    if (thrown instanceof Error) return []
    throw thrown
  }
}
