import { close, fdatasync, openSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'

/**
 * Forces commits to disk without blocking the event loop: SQLite writes a commit to the write-ahead
 * log and does not sync it, then a thread of Node's pool syncs the log.
 */
export interface WalSync {
  /** Runs `commit` so that SQLite does not sync; what it commits is not on disk yet. */
  withoutSync<T>(commit: () => T): T
  /** Calls back when everything committed before this call is on disk. */
  sync(done: (error: Error | null) => void): void
  close(): void
}

export const createWalSync = (database: DatabaseSync, path: string): WalSync => {
  // SQLite holds no locks on the log, so closing this descriptor drops none. The log exists as long
  // as a connection is open.
  let descriptor: number | undefined
  return {
    withoutSync: (commit) => {
      // SQLite applies this pragma when it compiles it, so a prepared statement would have no effect.
      database.exec('PRAGMA synchronous = NORMAL')
      try {
        return commit()
      } finally {
        if (database.isOpen && !database.isTransaction) database.exec('PRAGMA synchronous = FULL')
      }
    },
    sync: (done) => {
      try {
        descriptor ??= openSync(`${path}-wal`, 'r')
      } catch (thrown) {
        done(thrown instanceof Error ? thrown : new Error(String(thrown)))
        return
      }
      fdatasync(descriptor, done)
    },
    close: () => {
      if (descriptor !== undefined) close(descriptor)
      descriptor = undefined
    },
  }
}
