import type { StatementSync } from 'node:sqlite'
import { createGroupCommit, guardDatabase } from '@steward/platform'
import { openOutboxDatabase } from './open-outbox-database.ts'

/** The outbox's file: what SQLite throws comes as an error of the table. */
export interface Connection {
  readonly path: string
  /** The prepared statement of this text, prepared once. */
  statement: (sql: string) => StatementSync
  read: <T>(query: () => T) => T
  /** On disk when it returns, or nothing of it is. */
  write: <T>(change: () => T) => T
  /** Shares one commit with the others of this turn; on disk when it resolves. */
  writeTogether: <T>(change: () => T) => Promise<T>
  /** Commits what waits, then closes. */
  close: () => Promise<void>
}

export const openConnection = (path: string): Connection => {
  const database = openOutboxDatabase(path)
  const guard = guardDatabase(path)
  const group = createGroupCommit(database, guard)
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
        throw guard.explain(thrown)
      }
    },
    write: (change) => {
      try {
        guard.check()
        statement('BEGIN IMMEDIATE').run()
        const value = change()
        statement('COMMIT').run()
        guard.succeeded()
        return value
      } catch (thrown) {
        if (database.isOpen && database.isTransaction) database.exec('ROLLBACK')
        throw guard.explain(thrown)
      }
    },
    writeTogether: group.write,
    close: async () => {
      await group.drain()
      guard.release()
      if (database.isOpen) database.close()
    },
  }
}
