import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { storageErrorOf } from '../storage-error.ts'

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
    return { prepare: (sql) => database.prepare(sql), close: () => database.close() }
  } catch (thrown) {
    throw storageErrorOf(path, thrown)
  }
}
