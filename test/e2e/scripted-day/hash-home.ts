import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { inspect } from 'node:util'

/**
 * Files that a running daemon writes without any request. Everything else in the data home must
 * stay unchanged when a request is rejected.
 */
const WRITTEN_BY_ITSELF: ReadonlyArray<readonly [path: RegExp, why: string]> = [
  [/^MEMORY\/SECURITY\//, 'the security log has entries of its own'],
  [/^MEMORY\/STATE\/failure-patterns\.json$/, 'counts are kept seconds after the last failure'],
  [/\.sqlite-(wal|shm)$/, 'journals: their rows are looked at with their database'],
]

/**
 * The files of a data home with their hashes; databases are hashed by rows, wherever these are
 * stored.
 */
export const hashHome = (home: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(home, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(home, join(parentPath, name)))
      .filter((path) => !WRITTEN_BY_ITSELF.some(([pattern]) => pattern.test(path)))
      .toSorted()
      .map((path) => [path, hashFile(join(home, path))]),
  )

const hashFile = (path: string): string =>
  createHash('sha256')
    .update(path.endsWith('.sqlite') ? readRows(path) : readFileSync(path))
    .digest('hex')

const readRows = (path: string): string => {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    const tables = database
      .prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'",
      )
      .all()
    const rowsOf = (name: unknown) => {
      const read = database.prepare(`SELECT * FROM "${name}"`)
      // Numbers of a search index exceed the safe integer range.
      read.setReadBigInts(true)
      return read.all()
    }
    return inspect(
      tables.map(({ name }) => [name, rowsOf(name)]),
      { depth: 4, maxArrayLength: null, maxStringLength: null },
    )
  } finally {
    database.close()
  }
}
