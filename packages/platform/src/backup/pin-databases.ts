import { closeSync, openSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { setTimeout as sleepFor } from 'node:timers/promises'
import { reasonOf, StewardError } from '@steward/contract'
import { SQLITE, sqliteCodeOf } from '../sqlite-code.ts'
import { toStorageError } from '../storage-error.ts'
import { isOwnDatabase } from './backup-scope.ts'

/** A database as it was at the moment of the backup, however much is written to it since. */
export interface PinnedDatabase {
  /** Relative to the data home. */
  path: string
  /** Why SQLite cannot read it; it is copied as it is then. */
  damaged?: string
  copyTo(target: string): Promise<void>
  close(): void
}

const ATTEMPTS = 200
const LOCK_WAIT_MS = 50
const PIN_WAIT_MS = 5000
/** Every page in one step: a backup in several steps starts over with each write of another process. */
const ALL_PAGES = 2 ** 31 - 1

/**
 * Opens a read transaction on every database, all at one moment: while they are opened, no process
 * can commit to a database of Steward's own. So an item that one database calls delivered is never
 * missing from another. Writers wait some milliseconds and go on while the copies are made.
 */
export const pinDatabases = async (
  root: string,
  paths: readonly string[],
  sleep: (delayMs: number) => Promise<unknown> = sleepFor,
): Promise<PinnedDatabase[]> => {
  for (let attempt = 1; ; attempt++) {
    const locks: DatabaseSync[] = []
    try {
      for (const path of paths.filter(isOwnDatabase)) lock(join(root, path), locks)
      return pinAll(root, paths)
    } catch (thrown) {
      // Everything is released before the next attempt, so that no writer waits for us for long.
      if (sqliteCodeOf(thrown) !== SQLITE.busy || attempt === ATTEMPTS) throw thrown
    } finally {
      for (const each of locks) each.close()
    }
    await sleep(5 + Math.random() * 20)
  }
}

const lock = (file: string, locks: DatabaseSync[]): void => {
  const database = new DatabaseSync(file, { timeout: LOCK_WAIT_MS })
  locks.push(database)
  try {
    database.exec('BEGIN IMMEDIATE')
  } catch (thrown) {
    if (!isUnreadable(thrown)) throw thrown
  }
}

const pinAll = (root: string, paths: readonly string[]): PinnedDatabase[] => {
  const pinned: PinnedDatabase[] = []
  try {
    for (const path of paths) pinned.push(pin(path, join(root, path)))
    return pinned
  } catch (thrown) {
    for (const each of pinned) each.close()
    throw thrown
  }
}

const pin = (path: string, file: string): PinnedDatabase => {
  let reader: DatabaseSync | undefined
  try {
    reader = new DatabaseSync(file, { timeout: PIN_WAIT_MS })
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM sqlite_schema').get()
  } catch (thrown) {
    reader?.close()
    if (isUnreadable(thrown)) return asItIs(path, file, reasonOf(thrown))
    throw sqliteCodeOf(thrown) === SQLITE.busy ? thrown : toStorageError(file, thrown)
  }
  const source = reader
  return {
    path,
    copyTo: async (target) => {
      // SQLite would create it readable for others.
      closeSync(openSync(target, 'wx', 0o600))
      try {
        await backup(source, target, { rate: ALL_PAGES })
      } catch (thrown) {
        const reason = `the database ${path} cannot be copied: ${reasonOf(thrown)}`
        throw new StewardError('storage_failed', { path: target, reason }, thrown)
      }
    },
    close: () => {
      if (source.isOpen) source.close()
    },
  }
}

const asItIs = (path: string, file: string, damaged: string): PinnedDatabase => ({
  path,
  damaged,
  copyTo: (target) => copyFile(file, target),
  close: () => undefined,
})

const isUnreadable = (thrown: unknown): boolean => {
  const code = sqliteCodeOf(thrown)
  return code === SQLITE.corrupt || code === SQLITE.notadb
}
