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

/** Long enough for someone who only looks (`isLockHeld`) to be gone again. */
const LOOKER_WAIT_MS = 200

/**
 * Takes the lock at `path` for this process; nothing when it is held elsewhere, in this process too.
 * The kernel frees it when the process ends in whatever way, so no pid is ever guessed at.
 *
 * Never open a lock's file by other means in the process that holds it: on POSIX systems closing
 * any descriptor of a file drops the locks the process has on it.
 */
export const holdLock = (path: string): Lock | undefined => {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    // Looking first tells a holder, which answers at once, from a looker, which is worth waiting for.
    if (existsSync(path) && isLockHeld(path)) return undefined
    return mending(path, () => takeLock(path))
  } catch (thrown) {
    throw lockFailed(path, thrown)
  }
}

/** Whether a process holds the lock. A lock whose file is not there is free; none is created. */
export const isLockHeld = (path: string): boolean => {
  if (!existsSync(path)) return false
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(path, { readOnly: true, timeout: 0 })
    database.prepare('PRAGMA schema_version').get()
    return false
  } catch (thrown) {
    if (sqliteCodeOf(thrown) === SQLITE.busy) return true
    // Removed between the two lines above: nobody holds what is gone.
    if (sqliteCodeOf(thrown) === SQLITE.cantopen && !existsSync(path)) return false
    // A holder would have kept us from reading this far.
    if (isForeign(thrown)) return false
    throw lockFailed(path, thrown)
  } finally {
    database?.close()
  }
}

/** A lock that is not there yet: asked for again and again on one open file, which costs next to nothing. */
export interface LockRequest {
  /** Nothing when it is held elsewhere. Never waits. */
  take(): Lock | undefined
  /** For whoever gives up; one who took the lock releases that. */
  close(): void
}

/**
 * Many may ask at once: SQLite's reserved lock is taken in one step and asking for it is in nobody's
 * way, while the exclusive one of `holdLock` is refused as long as anybody else even looks. Both keep
 * each other out; `isLockHeld` does not see this one.
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
