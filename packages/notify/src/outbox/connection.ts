import type { StatementSync } from 'node:sqlite'
import { createGroupCommit, toStorageError } from '@steward/platform'
import { openOutboxDatabase } from './open-outbox-database.ts'

/** The outbox database; SQLite errors become `storage_failed`. */
export interface Connection {
  readonly path: string
  /** The prepared statement for this text, cached. */
  statement: (sql: string) => StatementSync
  read: <T>(query: () => T) => T
  /** Atomic, and on disk when it returns. */
  write: <T>(change: () => T) => T
  /** Shares one commit with the other writes of this turn; on disk when it resolves. */
  writeTogether: <T>(change: () => T) => Promise<T>
  /** Commits pending writes, then closes. */
  close: () => Promise<void>
}

export const openConnection = (path: string): Connection => {
  const database = openOutboxDatabase(path)
  const group = createGroupCommit(database, path)
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
    writeTogether: group.write,
    close: async () => {
      await group.drain()
      if (database.isOpen) database.close()
    },
  }
}
