import type { DatabaseSync } from 'node:sqlite'
import { StewardError } from '@steward/contract'
import { SQLITE, sqliteCodeOf } from '../sqlite-code.ts'
import { isStorageFailure } from '../storage-error.ts'
import type { DatabaseGuard } from './database-guard.ts'
import type { WalSync } from './wal-sync.ts'

export interface GroupCommit {
  /** Runs the change with others in one transaction; settles when its COMMIT is on disk. */
  write<T>(change: () => T): Promise<T>
  /** Returns whether changes are waiting for their COMMIT to be on disk. */
  isWaiting(): boolean
  /** Rejects further changes; resolves when the pending ones are settled. */
  drain(): Promise<void>
}

interface Waiting {
  /** Applies the change and returns the callback for when it is on disk. */
  apply: () => () => void
  reject: (reason: unknown) => void
}

/** Each attempt waits for the connection's busy timeout; the event loop runs in between. */
const BUSY_ATTEMPTS = 40

/**
 * Shares one transaction, and therefore one sync of the disk, among all changes of one event loop
 * turn and those that arrive while the disk syncs the changes before them.
 */
export const createGroupCommit = (
  database: DatabaseSync,
  guard: DatabaseGuard,
  walSync: WalSync | undefined,
): GroupCommit => {
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  const mark = database.prepare('SAVEPOINT change')
  const keep = database.prepare('RELEASE change')
  const undo = database.prepare('ROLLBACK TO change')
  let waiting: Waiting[] = []
  let isSyncing = false
  let busyAttempts = 0
  let drained: Promise<void> | undefined

  /** Applies one change; its own error rejects it alone, a storage error is thrown. */
  const applyAlone = ({ apply, reject }: Waiting): (() => void) => {
    mark.run()
    try {
      const settle = apply()
      keep.run()
      return settle
    } catch (thrown) {
      if (!database.isTransaction || isStorageFailure(thrown)) throw thrown
      undo.run()
      keep.run()
      return () => reject(guard.explain(thrown))
    }
  }

  const rejectAll = (batch: Waiting[], error: unknown): void => {
    for (const { reject } of batch) reject(error)
  }

  /** Returns how to settle the changes; undefined if they were rolled back and rejected. */
  const commitBatch = (batch: Waiting[]): (() => void)[] | undefined => {
    try {
      const [first] = batch
      // A single change needs no savepoint, because its error rolls back the whole transaction.
      const settled =
        batch.length === 1 && first !== undefined ? [first.apply()] : batch.map(applyAlone)
      commit.run()
      return settled
    } catch (thrown) {
      const error = guard.explain(thrown)
      rollBack(database)
      rejectAll(batch, error)
      return undefined
    }
  }

  const settleAll = (settled: (() => void)[]): void => {
    guard.succeeded()
    for (const settle of settled) settle()
  }

  /** Changes that arrive meanwhile wait for the next transaction. */
  const settleWhenSynced = (batch: Waiting[], settled: (() => void)[], { sync }: WalSync): void => {
    isSyncing = true
    sync((error) => {
      isSyncing = false
      if (error === null) settleAll(settled)
      else rejectAll(batch, guard.syncFailed(error))
      if (waiting.length > 0) setImmediate(flush)
    }, batch.length === 1)
  }

  const flush = (): void => {
    if (walSync === undefined) flushNow()
    else walSync.withoutSync(flushNow)
  }

  const flushNow = (): void => {
    if (waiting.length === 0) return
    try {
      guard.check()
      begin.run()
    } catch (thrown) {
      if (sqliteCodeOf(thrown) === SQLITE.busy && ++busyAttempts < BUSY_ATTEMPTS) {
        setImmediate(flush)
        return
      }
      busyAttempts = 0
      rejectAll(waiting.splice(0), guard.explain(thrown))
      return
    }
    busyAttempts = 0
    const batch = waiting
    waiting = []
    const settled = commitBatch(batch)
    if (settled === undefined) return
    if (walSync === undefined) settleAll(settled)
    else settleWhenSynced(batch, settled, walSync)
  }

  return {
    isWaiting: () => waiting.length > 0 || isSyncing,
    drain: () => {
      drained ??= new Promise((resolve) => {
        if (waiting.length === 0 && !isSyncing) return resolve()
        waiting.push({ apply: () => resolve, reject: () => resolve() })
      })
      return drained
    },
    write: (change) =>
      new Promise((resolve, reject) => {
        if (drained !== undefined) {
          reject(new StewardError('storage_failed', { path: guard.path, reason: 'it was closed' }))
          return
        }
        if (waiting.length === 0 && !isSyncing) setImmediate(flush)
        waiting.push({
          reject,
          apply: () => {
            const value = change()
            return () => resolve(value)
          },
        })
      }),
  }
}

/**
 * Ends a failed transaction. In a damaged file the rollback fails too, and only the first failure
 * is reported.
 */
export const rollBack = (database: DatabaseSync): void => {
  if (!database.isOpen || !database.isTransaction) return
  try {
    database.exec('ROLLBACK')
  } catch (thrown) {
    if (!isStorageFailure(thrown)) throw thrown
  }
}
