import { existsSync, mkdirSync, truncateSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { StewardError } from '@steward/contract'
import { SQLITE, sqliteCodeOf } from '../sqlite-code.ts'
import { storageErrorOf } from '../storage-error.ts'

export interface Lock {
  readonly path: string
  release(): void
}

/** Long enough for a process that only checks (`isLockHeld`) to finish. */
const LOOKER_WAIT_MS = 200

/**
 * Takes the lock at `path` for this process; undefined if it is held, even by this process. The
 * kernel releases it however the process ends, so no pid needs to be checked.
 *
 * Never open a lock's file by other means in the process that holds it: on POSIX systems closing
 * any descriptor of a file drops the process's locks on it.
 */
export const holdLock = (path: string): Lock | undefined => {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    // Checking first distinguishes a holder from another checker, which is worth waiting for.
    if (existsSync(path) && isLockHeld(path)) return undefined
    return mending(path, () => takeLock(path))
  } catch (thrown) {
    throw lockFailed(path, thrown)
  }
}

/** Whether a process holds the lock. A missing lock file means free and is not created. */
export const isLockHeld = (path: string): boolean => {
  if (!existsSync(path)) return false
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(path, { readOnly: true, timeout: 0 })
    database.prepare('PRAGMA schema_version').get()
    return false
  } catch (thrown) {
    if (sqliteCodeOf(thrown) === SQLITE.busy) return true
    // Removed between the two lines above, so it is free.
    if (sqliteCodeOf(thrown) === SQLITE.cantopen && !existsSync(path)) return false
    // A holder would have kept us from reading this far.
    if (isForeign(thrown)) return false
    throw lockFailed(path, thrown)
  } finally {
    database?.close()
  }
}

/** Repeatedly tries to take a lock on one open file, which is cheap. */
export interface LockRequest {
  /** Undefined if it is held. Never waits. */
  take(): Lock | undefined
  /** Closes without taking the lock; a taken lock is released separately. */
  close(): void
}

/**
 * For many concurrent requests: SQLite's reserved lock is atomic and does not disturb others, while
 * the exclusive one of `holdLock` fails while anyone even checks it. They exclude each other;
 * `isLockHeld` does not see this one.
 */
export const requestLock = (path: string): LockRequest => {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const database = new DatabaseSync(path, { timeout: 0 })
    return {
      take: () => {
        try {
          return mending(path, () => lockWith(database, path, 'IMMEDIATE'))
        } catch (thrown) {
          throw lockFailed(path, thrown)
        }
      },
      close: () => database.close(),
    }
  } catch (thrown) {
    throw lockFailed(path, thrown)
  }
}

/** A lock's file holds nothing: whatever someone wrote into it is removed, and the lock taken. */
const mending = <T>(path: string, take: () => T): T => {
  try {
    return take()
  } catch (thrown) {
    if (!isForeign(thrown)) throw thrown
    truncateSync(path)
    return take()
  }
}

const isForeign = (thrown: unknown): boolean => sqliteCodeOf(thrown) === SQLITE.notadb

const takeLock = (path: string): Lock | undefined => {
  const database = new DatabaseSync(path, { timeout: LOOKER_WAIT_MS })
  try {
    const lock = lockWith(database, path, 'EXCLUSIVE')
    if (lock === undefined) database.close()
    return lock
  } catch (thrown) {
    database.close()
    throw thrown
  }
}

const lockWith = (
  database: DatabaseSync,
  path: string,
  kind: 'EXCLUSIVE' | 'IMMEDIATE',
): Lock | undefined => {
  try {
    database.exec(`PRAGMA journal_mode = MEMORY; BEGIN ${kind}`)
  } catch (thrown) {
    if (sqliteCodeOf(thrown) === SQLITE.busy) return undefined
    throw thrown
  }
  let held = true
  return {
    path,
    release: () => {
      if (!held) return
      held = false
      database.close()
    },
  }
}

const lockFailed = (path: string, thrown: unknown): StewardError =>
  storageErrorOf(path, thrown, 'lock')
