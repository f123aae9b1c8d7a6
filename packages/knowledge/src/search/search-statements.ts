import type { DatabaseSync } from 'node:sqlite'
import { WEIGHTS } from './rank.ts'

const FIT = (column: keyof typeof WEIGHTS): string => {
  const order = ['title', 'tag', 'heading', 'text'] as const
  const weights = order.map((each) => (each === column ? WEIGHTS[each].toFixed(1) : '0.0'))
  return `-bm25(words, ${weights.join(', ')}) AS fit_${column}`
}

/** Every statement that the index uses. */
export const prepareStatements = (database: DatabaseSync) => ({
  database,
  numberOf: database.prepare('SELECT number FROM documents WHERE id = ?'),
  removeDocument: database.prepare('DELETE FROM documents WHERE number = ?'),
  removeWords: database.prepare('DELETE FROM words WHERE rowid = ?'),
  addDocument: database.prepare(
    'INSERT INTO documents (id, kind, title, updated_ms, mark, sections, data) VALUES (?, ?, ?, ?, ?, ?, ?)',
  ),
  addWords: database.prepare(
    'INSERT INTO words (rowid, title, tag, heading, text) VALUES (?, ?, ?, ?, ?)',
  ),
  entries: database.prepare('SELECT id, mark, data FROM documents WHERE kind = ?'),
  terms: database.prepare('SELECT term FROM vocabulary'),
  hasTerm: database.prepare('SELECT 1 FROM vocabulary WHERE term = ?'),
  hasPrefix: database.prepare('SELECT 1 FROM vocabulary WHERE term >= ? AND term <= ? LIMIT 1'),
  count: database.prepare(
    `SELECT count(*) AS total FROM words JOIN documents ON documents.number = words.rowid
     WHERE words MATCH ? AND (? IS NULL OR kind IN (SELECT value FROM json_each(?)))`,
  ),
  candidates: database.prepare(
    `SELECT words.rowid AS number FROM words JOIN documents ON documents.number = words.rowid
     WHERE words MATCH ? AND (? IS NULL OR kind IN (SELECT value FROM json_each(?)))
     ORDER BY bm25(words, ${WEIGHTS.title.toFixed(1)}, ${WEIGHTS.tag.toFixed(1)}, ${WEIGHTS.heading.toFixed(1)}, ${WEIGHTS.text.toFixed(1)}) LIMIT ?`,
  ),
  // The plus prevents the database from repeating the search for every rowid.
  fits: database.prepare(
    `SELECT words.rowid AS number, id, documents.title, updated_ms,
       ${FIT('title')}, ${FIT('tag')}, ${FIT('heading')}, ${FIT('text')}
     FROM words JOIN documents ON documents.number = words.rowid
     WHERE words MATCH ? AND +words.rowid IN (SELECT value FROM json_each(?))`,
  ),
  shown: database.prepare('SELECT kind, sections, data FROM documents WHERE number = ?'),
})
export type SearchStatements = ReturnType<typeof prepareStatements>
