import { reasonOf, StewardError } from '@steward/contract'
import { SQLITE, sqliteCodeOf } from '../locks/sqlite-code.ts'

const REASONS: Record<number, string> = {
  [SQLITE.busy]: 'another process keeps it locked',
  [SQLITE.readonly]: 'it cannot be written to',
  [SQLITE.full]: 'the disk is full',
  [SQLITE.ioerr]: 'the disk reported an error',
  [SQLITE.corrupt]: 'its content is damaged',
  [SQLITE.cantopen]: 'it cannot be opened',
  [SQLITE.notadb]: 'it is not an SQLite database',
}

/** Whether the storage failed, so that the whole transaction must be rolled back. */
export const isStorageFailure = (thrown: unknown): boolean => {
  const code = sqliteCodeOf(thrown)
  return code !== undefined && code in REASONS
}

/** Whether the file is no database any more; a full disk or a lock is something else. */
export const isDamaged = (thrown: unknown): boolean => {
  const code = sqliteCodeOf(thrown instanceof StewardError ? thrown.cause : thrown)
  return code === SQLITE.corrupt || code === SQLITE.notadb
}

/** What SQLite threw, as `storage_failed`; anything else comes back as it is. */
export const toStorageError = (path: string, thrown: unknown): unknown => {
  const code = sqliteCodeOf(thrown)
  if (code === undefined) return thrown
  const known = REASONS[code]
  const reason = known === undefined ? reasonOf(thrown) : `${known} (${reasonOf(thrown)})`
  return new StewardError('storage_failed', { path, reason }, thrown)
}
