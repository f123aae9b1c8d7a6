import type { Database } from '@steward/platform'
import { WEIGHTS } from './rank.ts'

const FIT = (column: keyof typeof WEIGHTS): string => {
  const order = ['title', 'tag', 'heading', 'text'] as const
  const weights = order.map((each) => (each === column ? WEIGHTS[each].toFixed(1) : '0.0'))
  return `-bm25(words, ${weights.join(', ')}) AS fit_${column}`
}

/** Every statement that the index uses. */
export const prepareStatements = (database: Database) => ({
  database,
  numberOf: database.statement('SELECT number FROM documents WHERE id = ?'),
  removeDocument: database.statement('DELETE FROM documents WHERE number = ?'),
  removeWords: database.statement('DELETE FROM words WHERE rowid = ?'),
  addDocument: database.statement(
    'INSERT INTO documents (id, kind, title, updated_ms, mark, sections, data) VALUES (?, ?, ?, ?, ?, ?, ?)',
  ),
  addWords: database.statement(
    'INSERT INTO words (rowid, title, tag, heading, text) VALUES (?, ?, ?, ?, ?)',
  ),
  entries: database.statement('SELECT id, mark, data FROM documents WHERE kind = ?'),
  terms: database.statement('SELECT term FROM vocabulary'),
  hasTerm: database.statement('SELECT 1 FROM vocabulary WHERE term = ?'),
  hasPrefix: database.statement('SELECT 1 FROM vocabulary WHERE term >= ? AND term <= ? LIMIT 1'),
  count: database.statement(
    `SELECT count(*) AS total FROM words JOIN documents ON documents.number = words.rowid
     WHERE words MATCH ? AND (? IS NULL OR kind IN (SELECT value FROM json_each(?)))`,
  ),
  candidates: database.statement(
    `SELECT words.rowid AS number FROM words JOIN documents ON documents.number = words.rowid
     WHERE words MATCH ? AND (? IS NULL OR kind IN (SELECT value FROM json_each(?)))
     ORDER BY bm25(words, ${WEIGHTS.title.toFixed(1)}, ${WEIGHTS.tag.toFixed(1)}, ${WEIGHTS.heading.toFixed(1)}, ${WEIGHTS.text.toFixed(1)}) LIMIT ?`,
  ),
  // The plus keeps the database from beginning the search again for every number.
  fits: database.statement(
    `SELECT words.rowid AS number, id, documents.title, updated_ms,
       ${FIT('title')}, ${FIT('tag')}, ${FIT('heading')}, ${FIT('text')}
     FROM words JOIN documents ON documents.number = words.rowid
     WHERE words MATCH ? AND +words.rowid IN (SELECT value FROM json_each(?))`,
  ),
  shown: database.statement('SELECT kind, sections, data FROM documents WHERE number = ?'),
})
export type SearchStatements = ReturnType<typeof prepareStatements>
