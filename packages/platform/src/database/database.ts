import type { SQLOutputValue, StatementSync } from 'node:sqlite'
import { guardDatabase } from './database-guard.ts'
import { createGroupCommit, rollBack } from './group-commit.ts'
import { type DatabaseOptions, openFile } from './open-file.ts'

export type Row = Record<string, SQLOutputValue>

export interface Connection {
  /** The prepared statement for this text, cached. */
  statement(sql: string): StatementSync
}

export interface Database extends Connection {
  readonly path: string
  /** Queries inside one snapshot; SQLite errors become errors of the table. */
  read<T>(query: (connection: Connection) => T): T
  /**
   * Changes of one turn of the event loop share a transaction. Resolves after the COMMIT is on
   * disk; a change that throws is rolled back and rejects alone; if the storage fails, all reject.
   */
  write<T>(change: (connection: Connection) => T): Promise<T>
  /** A transaction of its own: on disk when it returns, or nothing of it is. */
  writeNow<T>(change: (connection: Connection) => T): T
  /** Commits what waits, then closes; at once when nothing waits. */
  close(): Promise<void>
}

/** Opens or creates a database that several processes may share, brought to its newest schema. */
export const openDatabase = (path: string, options: DatabaseOptions): Database => {
  const database = openFile(path, options)
  const statements = new Map<string, StatementSync>()
  const statement = (sql: string): StatementSync => {
    const known = statements.get(sql)
    if (known !== undefined) return known
    const prepared = database.prepare(sql)
    statements.set(sql, prepared)
    return prepared
  }
  const connection: Connection = { statement }
  const guard = guardDatabase(path)
  const group = createGroupCommit(database, guard)
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
      if (database.isOpen) database.close()
    },
  }
}
