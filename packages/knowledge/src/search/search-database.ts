import { reasonOf } from '@steward/contract'
import { type Database, isDamaged, openDatabase, removeDatabase } from '@steward/platform'

/**
 * Increase with every change of the tables or of word folding: an index of another version is
 * rebuilt.
 */
const VERSION = 1
const BUSY_TIMEOUT_MS = 2000

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

const DROP = ['vocabulary', 'words', 'documents', 'about']
  .map((table) => `DROP TABLE IF EXISTS ${table}`)
  .join('; ')

/** Opens the index, or makes it: also in place of one that is damaged or of another version. */
export const openSearchDatabase = (file: string, warn: (message: string) => void): Database => {
  try {
    return openIndexFile(file)
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
  warn(`the search index ${file} is damaged and is rebuilt: ${reasonOf(why)}`)
  removeDatabase(file)
  return openIndexFile(file)
}

/** Opens or makes the index; throws if it is damaged. */
export const openIndexFile = (file: string): Database =>
  openDatabase(file, {
    rebuilt: { version: VERSION, drop: DROP, create: TABLES },
    busyTimeoutMs: BUSY_TIMEOUT_MS,
  })
