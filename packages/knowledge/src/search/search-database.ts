import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { reasonOf } from '@steward/contract'
import { codeOf, SQLITE, sqliteCodeOf, toStorageError } from '@steward/platform'

/**
 * Increase with every change of the tables or of word folding: an index of another version is
 * rebuilt.
 */
const VERSION = 1
const BUSY_TIMEOUT_MS = 2000
/** SQLite's name for a database that is lost with its process. */
const IN_MEMORY = ':memory:'

/**
 * `ascii` uses the output of `foldWords` unchanged: folding, accents and scripts without spaces are
 * handled there, in one place, for documents and queries.
 */
const TABLES = `
  CREATE TABLE about (note TEXT NOT NULL);
  INSERT INTO about VALUES ('Built from the documents and notes of this machine; can be deleted at any time and is rebuilt.');
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

/** Opens or creates the index; also replaces a damaged one or one of another version. */
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
  warn(`the search index ${file} is damaged and is rebuilt: ${reasonOf(why)}`)
  removeFiles(file)
  try {
    return open(file)
  } catch (thrown) {
    throw toStorageError(file, thrown)
  }
}

/** Whether the file is damaged; a full disk or a lock is not damage. */
export const isBroken = (thrown: unknown): boolean => {
  const code = sqliteCodeOf(thrown)
  return code === SQLITE.corrupt || code === SQLITE.notadb
}

const open = (file: string): DatabaseSync => {
  if (file !== IN_MEMORY) createPrivately(file)
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS })
  try {
    // Data lost in a power failure is rebuilt.
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

/** It contains the person's texts, so only its owner may read it. */
const createPrivately = (file: string): void => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (thrown) {
    if (codeOf(thrown) !== 'EEXIST') throw thrown
  }
}
