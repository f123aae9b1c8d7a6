import { close, fdatasync, fdatasyncSync, openSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'

/**
 * Forces commits to disk without blocking the event loop for long: SQLite writes a commit to the
 * write-ahead log and does not sync it, then a thread of Node's pool syncs the log. For a change that
 * came alone to a fast disk, the way to the thread and back takes longer than the sync.
 */
export interface WalSync {
  /** Runs `commit` so that SQLite does not sync; what it commits is not on disk yet. */
  withoutSync<T>(commit: () => T): T
  /**
   * Calls back when everything committed before this call is on disk. `isAlone` says that nothing
   * else is waiting for this process.
   */
  sync(done: (error: Error | null) => void, isAlone: boolean): void
  close(): void
}

/** A sync that blocks the event loop no longer than this does no harm. */
const QUICK_MS = 0.5
/** So many syncs in a row were quick, before one is done here. */
const QUICK_SYNCS = 16

export const createWalSync = (database: DatabaseSync, path: string): WalSync => {
  // SQLite holds no locks on the log, so closing this descriptor drops none. The log exists as long
  // as a connection is open.
  let descriptor: number | undefined
  let quickSyncs = 0
  const measure = (startedAt: number): void => {
    quickSyncs = performance.now() - startedAt <= QUICK_MS ? quickSyncs + 1 : 0
  }
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
    sync: (done, isAlone) => {
      const startedAt = performance.now()
      const isHere = isAlone && quickSyncs >= QUICK_SYNCS
      try {
        descriptor ??= openSync(`${path}-wal`, 'r')
        if (isHere) fdatasyncSync(descriptor)
      } catch (thrown) {
        done(thrown instanceof Error ? thrown : new Error(String(thrown)))
        return
      }
      if (isHere) {
        measure(startedAt)
        done(null)
        return
      }
      fdatasync(descriptor, (error) => {
        measure(startedAt)
        done(error)
      })
    },
    close: () => {
      if (descriptor !== undefined) close(descriptor)
      descriptor = undefined
    },
  }
}
