import type { StatementSync } from 'node:sqlite'
import { openOutboxDatabase, toStorageError } from './open-outbox-database.ts'

/** The outbox's file: what SQLite throws comes as `storage_failed`. */
export interface Connection {
  readonly path: string
  /** The prepared statement of this text, prepared once. */
  statement: (sql: string) => StatementSync
  read: <T>(query: () => T) => T
  /** On disk when it returns, or nothing of it is. */
  write: <T>(change: () => T) => T
  close: () => void
}

export const openConnection = (path: string): Connection => {
  const database = openOutboxDatabase(path)
  const statements = new Map<string, StatementSync>()
  const statement = (sql: string): StatementSync => {
    const known = statements.get(sql) ?? database.prepare(sql)
    statements.set(sql, known)
    return known
  }
  return {
    path,
    statement,
    read: (query) => {
      try {
        return query()
      } catch (thrown) {
        throw toStorageError(path, thrown)
      }
    },
    write: (change) => {
      try {
        statement('BEGIN IMMEDIATE').run()
        const value = change()
        statement('COMMIT').run()
        return value
      } catch (thrown) {
        if (database.isOpen && database.isTransaction) database.exec('ROLLBACK')
        throw toStorageError(path, thrown)
      }
    },
    close: () => {
      if (database.isOpen) database.close()
    },
  }
}
