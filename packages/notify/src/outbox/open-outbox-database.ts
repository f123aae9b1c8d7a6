import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { reasonOf, StewardError } from '@steward/contract'
import { codeOf, SQLITE, sqliteCodeOf, toStorageError } from '@steward/platform'
import { OUTBOX_MIGRATIONS } from './migrations.ts'

/** One attempt at another process's lock blocks no longer than this; its transactions are short. */
const BUSY_TIMEOUT_MS = 1000
const OPEN_ATTEMPTS = 40

/** Opens or creates the outbox; several processes may use it at once. Throws `storage_failed`. */
export const openOutboxDatabase = (path: string): DatabaseSync => {
  try {
    createPrivately(path)
    for (let attempt = 1; ; attempt++) {
      try {
        return configure(path)
      } catch (thrown) {
        // Switching a new file to WAL does not wait for others who do the same.
        if (sqliteCodeOf(thrown) !== SQLITE.busy || attempt === OPEN_ATTEMPTS) throw thrown
      }
    }
  } catch (thrown) {
    const error = toStorageError(path, thrown)
    if (error instanceof StewardError) throw error
    throw new StewardError('storage_failed', { path, reason: reasonOf(thrown) }, thrown)
  }
}

const configure = (path: string): DatabaseSync => {
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
  try {
    // FULL: what was accepted survives a power cut, not only the end of the process.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    migrate(database, path)
    return database
  } catch (thrown) {
    database.close()
    throw thrown
  }
}

const migrate = (database: DatabaseSync, path: string): void => {
  if (readVersion(database, path) === OUTBOX_MIGRATIONS.length) return
  database.exec('BEGIN IMMEDIATE')
  try {
    for (const migration of OUTBOX_MIGRATIONS.slice(readVersion(database, path)))
      database.exec(migration)
    database.exec(`PRAGMA user_version = ${OUTBOX_MIGRATIONS.length}; COMMIT`)
  } catch (thrown) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw thrown
  }
}

const readVersion = (database: DatabaseSync, path: string): number => {
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version)
  if (version <= OUTBOX_MIGRATIONS.length) return version
  const reason = `a newer Steward wrote it (schema ${version}); update Steward to use it`
  throw new StewardError('storage_failed', { path, reason })
}

/**
 * It holds what people were told: readable by its owner alone. Only a file that is not there is opened
 * here, because closing a descriptor of an existing one would drop SQLite's locks on it.
 */
const createPrivately = (path: string): void => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (thrown) {
    if (codeOf(thrown) !== 'EEXIST') throw thrown
  }
}
