import type { SQLOutputValue, StatementSync } from 'node:sqlite'
import { guardDatabase } from './database-guard.ts'
import { createGroupCommit, rollBack } from './group-commit.ts'
import { prepareNumbered } from './numbered-parameters.ts'
import { type DatabaseOptions, openFile } from './open-file.ts'
import { createWalSync } from './wal-sync.ts'

export type Row = Record<string, SQLOutputValue>

export interface Connection {
  /** The prepared statement for this text, cached. */
  statement(sql: string): StatementSync
}

export interface Database extends Connection {
  readonly path: string
  /** Runs queries in one snapshot; SQLite errors become errors from the error table. */
  read<T>(query: (connection: Connection) => T): T
  /**
   * Changes of one event loop turn share a transaction. Resolves after the COMMIT is on disk; a
   * change that throws is rolled back and rejects alone; if the storage fails, all reject.
   */
  write<T>(change: (connection: Connection) => T): Promise<T>
  /** Runs its own transaction: on disk when it returns, or rolled back. */
  writeNow<T>(change: (connection: Connection) => T): T
  /** Commits pending writes, then closes; closes immediately if there are none. */
  close(): Promise<void>
}

/**
 * Opens or creates a database that several processes may share, and migrates it to the newest
 * schema.
 */
export const openDatabase = (path: string, options: DatabaseOptions): Database => {
  const database = openFile(path, options)
  const statements = new Map<string, StatementSync>()
  const statement = (sql: string): StatementSync => {
    const known = statements.get(sql)
    if (known !== undefined) return known
    const prepared = prepareNumbered(database, sql)
    statements.set(sql, prepared)
    return prepared
  }
  const connection: Connection = { statement }
  const guard = guardDatabase(path)
  const walSync = options.syncsInThread ? createWalSync(database, path) : undefined
  const group = createGroupCommit(database, guard, walSync)
  return {
    path,
    statement,
    write: (change) => group.write(() => change(connection)),
    writeNow: (change) => {
      try {
        guard.check()
        statement('BEGIN IMMEDIATE').run()
        const value = change(connection)
        statement('COMMIT').run()
        guard.succeeded()
        return value
      } catch (thrown) {
        const error = guard.explain(thrown)
        rollBack(database)
        throw error
      }
    },
    read: (query) => {
      try {
        statement('BEGIN').run()
        const value = query(connection)
        if (database.isOpen && database.isTransaction) statement('COMMIT').run()
        return value
      } catch (thrown) {
        const error = guard.explain(thrown)
        rollBack(database)
        throw error
      }
    },
    close: async () => {
      if (group.isWaiting()) await group.drain()
      else void group.drain()
      guard.release()
      walSync?.close()
      if (database.isOpen) database.close()
    },
  }
}
