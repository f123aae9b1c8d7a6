import { reasonOf } from '@steward/contract'
import { type Database, isDamaged, openDatabase, removeDatabase } from '@steward/platform'

/** Grows with every change of the tables, and of how words are folded: an index of another version is made anew. */
const VERSION = 1
const BUSY_TIMEOUT_MS = 2000

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

const DROP = ['vocabulary', 'words', 'documents', 'about']
  .map((table) => `DROP TABLE IF EXISTS ${table}`)
  .join('; ')

/** Opens the index, or makes it: also in place of one that is damaged or of another version. */
export const openSearchDatabase = (file: string, warn: (message: string) => void): Database => {
  try {
    return open(file)
  } catch (thrown) {
    if (!isDamaged(thrown)) throw thrown
    return replaceSearchDatabase(file, warn, thrown)
  }
}

export const replaceSearchDatabase = (
  file: string,
  warn: (message: string) => void,
  why: unknown,
): Database => {
  warn(`the search index ${file} is damaged and is made again: ${reasonOf(why)}`)
  removeDatabase(file)
  return open(file)
}

const open = (file: string): Database =>
  openDatabase(file, {
    rebuilt: { version: VERSION, drop: DROP, create: TABLES },
    busyTimeoutMs: BUSY_TIMEOUT_MS,
  })
