import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isJsonObject } from '@steward/contract'

/** Files without a version of their own, and why. */
const EXEMPT: ReadonlyArray<readonly [path: RegExp, why: string]> = [
  [/^(settings\.json|\.env)$/, 'the user writes it; state/version.json covers its form'],
  [
    /^USER\/(ACTIONS|PIPELINES|FLOWS|AGENTS)\//,
    'definitions of the user, in forms of spec 1 and 3',
  ],
  [/^USER\/ASSISTANT\//, 'documents of the user, who edits them'],
  [/^USER\/SECURITY\/SECURITY_RULES\.md$/, 'text of the user'],
  [/^USER\/((package|tsconfig)\.json|lib\/.*\.ts)$/, 'forms of npm and TypeScript'],
  [/^MEMORY\/(KNOWLEDGE|WORK|LEARNING\/LADDER)\/.*\.md$/, 'Markdown of the user and of assistants'],
  [/^MEMORY\/STATE\/(work|session-names)\.json$/, 'forms of spec 2, which other tools write too'],
  [/^MEMORY\/(OBSERVABILITY|VOICE)\/.*\.jsonl$/, 'event rows, in forms of spec 2'],
  [/^MEMORY\/STATE\/events\.jsonl$/, 'event rows, in a form that other tools write too'],
  [/^MEMORY\/LEARNING\/SIGNALS\/.*\.jsonl$/, 'ratings and signals, which other tools write too'],
  [/^MEMORY\/SECURITY\/\d{4}\/.*\.jsonl$/, 'rows of a known form, each chained to the one before'],
  [/^OUTPUT\//, 'results for the user, in the form that a flow gives them'],
  [/^(schemas|types)\//, 'copies of files that ship with Steward'],
  [/^token$/, 'a secret and nothing else'],
  [
    /^state\/hook-cache\//,
    'compiled code of Node, named after the program and the version of Node',
  ],
  [/^state\/payloads\//, 'inputs and outputs of runs as they are, described in history.sqlite'],
  [/\.sqlite-(wal|shm)$/, 'journals of SQLite'],
  [/\.(lock|pump)$|^state\/(locks|owners)\//, 'locks, without content'],
  [/^state\/pruned$/, 'the time of the last pruning and nothing else'],
]

/** The files of a data home that have no version and no reason for it. */
export const findUnversioned = (home: string): string[] =>
  listFiles(home).filter(
    (path) => !EXEMPT.some(([pattern]) => pattern.test(path)) && !hasVersion(join(home, path)),
  )

export const listFiles = (home: string): string[] =>
  readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(home, join(parentPath, name)))
    .toSorted()

const hasVersion = (file: string): boolean => {
  if (file.endsWith('.sqlite')) return versionOfDatabase(file) > 0
  const text = readFileSync(file, 'utf8')
  if (file.endsWith('.json')) return isVersioned(JSON.parse(text))
  if (file.endsWith('.jsonl')) {
    const rows = text.split('\n').filter((line) => line !== '')
    return rows.length > 0 && rows.every((row) => isVersioned(JSON.parse(row)))
  }
  if (file.endsWith('.yaml')) return /^version: /m.test(text)
  return false
}

const isVersioned = (content: unknown): boolean =>
  isJsonObject(content) && (content.schemaVersion !== undefined || content.version !== undefined)

const versionOfDatabase = (file: string): number => {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return Number(database.prepare('PRAGMA user_version').get()?.user_version)
  } finally {
    database.close()
  }
}
