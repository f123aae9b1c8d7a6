import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { reasonOf } from '@steward/contract'
import { codeOf, SQLITE, sqliteCodeOf, toStorageError } from '@steward/platform'

/** Grows with every change of the tables, and of how words are folded: an index of another version is made anew. */
const VERSION = 1
const BUSY_TIMEOUT_MS = 2000
/** SQLite's word for an index that is gone with its process. */
const IN_MEMORY = ':memory:'

/**
 * `ascii` takes what `foldWords` has put between spaces as it is: folding, accents and scripts without
 * spaces are decided there, in one place, for documents and queries alike.
 */
const TABLES = `
  CREATE TABLE about (note TEXT NOT NULL);
  INSERT INTO about VALUES ('Made from the documents and notes of this machine; may be removed at any time, it is made again.');
  CREATE TABLE documents (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    title TEXT NOT NULL,
    updated_ms REAL NOT NULL,
    mark TEXT NOT NULL,
    sections TEXT NOT NULL,
    data TEXT NOT NULL
  );
  CREATE INDEX documents_by_kind ON documents (kind);
  CREATE VIRTUAL TABLE words USING fts5(title, tag, heading, text, content='', contentless_delete=1, tokenize='ascii');
  CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, 'row');
`

/** Opens the index, or makes it: also in place of one that is damaged or of another version. */
export const openSearchDatabase = (file: string, warn: (message: string) => void): DatabaseSync => {
  try {
    return open(file)
  } catch (thrown) {
    if (!isBroken(thrown)) throw toStorageError(file, thrown)
    return replaceSearchDatabase(file, warn, thrown)
  }
}

export const replaceSearchDatabase = (
  file: string,
  warn: (message: string) => void,
  why: unknown,
): DatabaseSync => {
  warn(`the search index ${file} is damaged and is made again: ${reasonOf(why)}`)
  removeFiles(file)
  try {
    return open(file)
  } catch (thrown) {
    throw toStorageError(file, thrown)
  }
}

/** Whether the file is no index any more; a full disk or a lock is something else. */
export const isBroken = (thrown: unknown): boolean => {
  const code = sqliteCodeOf(thrown)
  return code === SQLITE.corrupt || code === SQLITE.notadb
}

const open = (file: string): DatabaseSync => {
  if (file !== IN_MEMORY) createPrivately(file)
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS })
  try {
    // What is lost in a power cut is made again.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF')
    const version = Number(database.prepare('PRAGMA user_version').get()?.user_version)
    if (version === VERSION) return database
    createTables(database)
    return database
  } catch (thrown) {
    database.close()
    throw thrown
  }
}

const createTables = (database: DatabaseSync): void => {
  database.exec('BEGIN IMMEDIATE')
  try {
    const version = Number(database.prepare('PRAGMA user_version').get()?.user_version)
    if (version !== VERSION) {
      for (const table of ['vocabulary', 'words', 'documents', 'about']) {
        database.exec(`DROP TABLE IF EXISTS ${table}`)
      }
      database.exec(`${TABLES} PRAGMA user_version = ${VERSION}`)
    }
    database.exec('COMMIT')
  } catch (thrown) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw thrown
  }
}

const removeFiles = (file: string): void => {
  for (const ending of ['', '-wal', '-shm']) rmSync(`${file}${ending}`, { force: true })
}

/** It holds what people wrote: readable by its owner alone. */
const createPrivately = (file: string): void => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (thrown) {
    if (codeOf(thrown) !== 'EEXIST') throw thrown
  }
}
