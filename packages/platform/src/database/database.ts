import type { SQLOutputValue, StatementSync } from 'node:sqlite'
import { createGroupCommit } from './group-commit.ts'
import { type DatabaseOptions, openFile } from './open-file.ts'
import { toStorageError } from './storage-error.ts'

export type Row = Record<string, SQLOutputValue>

export interface Connection {
  /** The prepared statement for this text, cached. */
  statement(sql: string): StatementSync
}

export interface Database extends Connection {
  readonly path: string
  /** Queries inside one snapshot; SQLite errors become `storage_failed`. */
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
  const group = createGroupCommit(database, path)
  return {
    path,
    statement,
    write: (change) => group.write(() => change(connection)),
    writeNow: (change) => {
      try {
        statement('BEGIN IMMEDIATE').run()
        const value = change(connection)
        statement('COMMIT').run()
        return value
      } catch (thrown) {
        if (database.isOpen && database.isTransaction) database.exec('ROLLBACK')
        throw toStorageError(path, thrown)
      }
    },
    read: (query) => {
      try {
        statement('BEGIN').run()
        return query(connection)
      } catch (thrown) {
        throw toStorageError(path, thrown)
      } finally {
        if (database.isOpen && database.isTransaction) statement('COMMIT').run()
      }
    },
    close: async () => {
      if (group.isWaiting()) await group.drain()
      else void group.drain()
      if (database.isOpen) database.close()
    },
  }
}
