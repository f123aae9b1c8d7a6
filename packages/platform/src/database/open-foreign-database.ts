import { existsSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { storageErrorOf } from '../storage-error.ts'
import { prepareNumbered } from './numbered-parameters.ts'

export interface ForeignDatabase {
  prepare: (sql: string) => StatementSync
  close: () => void
}

/** Waiting longer would block the event loop. */
const BUSY_TIMEOUT_MS = 250

/** Opens a database of another program, which may be writing to it, without changing anything. */
export const openForeignDatabase = (path: string): ForeignDatabase => {
  try {
    const database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
    return { prepare: (sql) => prepareNumbered(database, sql), close: () => database.close() }
  } catch (thrown) {
    throw storageErrorOf(path, thrown)
  }
}

/** Reads a database that another part writes; nothing if it or the table does not exist yet. */
export const readOther = <T>(
  path: string,
  table: string,
  read: (database: ForeignDatabase) => T[],
): T[] => {
  if (!existsSync(path)) return []
  const database = openForeignDatabase(path)
  try {
    const found = database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table)
    return found === undefined ? [] : read(database)
  } finally {
    database.close()
  }
}
