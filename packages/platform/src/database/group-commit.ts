import type { DatabaseSync } from 'node:sqlite'
import { StewardError } from '@steward/contract'
import { SQLITE, sqliteCodeOf } from '../sqlite-code.ts'
import { isStorageFailure } from '../storage-error.ts'
import type { DatabaseGuard } from './database-guard.ts'

export interface GroupCommit {
  /** Runs the change with the others of this turn in one transaction; settles after its COMMIT. */
  write<T>(change: () => T): Promise<T>
  /** Whether changes wait for their COMMIT. */
  isWaiting(): boolean
  /** Takes no more changes; resolves when those that wait are settled. */
  drain(): Promise<void>
}

interface Waiting {
  /** Makes the change and returns the callback for when it is on disk. */
  apply: () => () => void
  reject: (reason: unknown) => void
}

/** Each attempt waits for the connection's busy timeout; in between the event loop runs. */
const BUSY_ATTEMPTS = 40

/**
 * Shares one transaction, and therefore one fsync, among all changes of one turn of the event loop.
 */
export const createGroupCommit = (database: DatabaseSync, guard: DatabaseGuard): GroupCommit => {
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  const mark = database.prepare('SAVEPOINT change')
  const keep = database.prepare('RELEASE change')
  const undo = database.prepare('ROLLBACK TO change')
  let waiting: Waiting[] = []
  let busyAttempts = 0
  let drained: Promise<void> | undefined

  /** One change; its own error rejects it alone, a storage error is thrown. */
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

  const commitBatch = (batch: Waiting[]): void => {
    try {
      const [first] = batch
      // A single change needs no savepoint, because its error rolls back the whole transaction.
      const settled =
        batch.length === 1 && first !== undefined ? [first.apply()] : batch.map(applyAlone)
      commit.run()
      guard.succeeded()
      for (const settle of settled) settle()
    } catch (thrown) {
      const error = guard.explain(thrown)
      rollBack(database)
      for (const { reject } of batch) reject(error)
    }
  }

  const flush = (): void => {
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
      const error = guard.explain(thrown)
      for (const { reject } of waiting.splice(0)) reject(error)
      return
    }
    busyAttempts = 0
    const batch = waiting
    waiting = []
    commitBatch(batch)
  }

  return {
    isWaiting: () => waiting.length > 0,
    drain: () => {
      drained ??= new Promise((resolve) => {
        if (waiting.length === 0) return resolve()
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
        if (waiting.length === 0) setImmediate(flush)
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
 * Ends a failed transaction. In a damaged file this fails too, and the first failure is the one to
 * report.
 */
export const rollBack = (database: DatabaseSync): void => {
  if (!database.isOpen || !database.isTransaction) return
  try {
    database.exec('ROLLBACK')
  } catch (thrown) {
    if (!isStorageFailure(thrown)) throw thrown
  }
}
