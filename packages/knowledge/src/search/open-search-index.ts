import type { DatabaseSync } from 'node:sqlite'
import { SQLITE, sqliteCodeOf, toStorageError } from '@steward/memory'
import { z } from 'zod'
import { foldWords } from './fold-words.ts'
import { makeSnippet, type SnippetPart } from './make-snippet.ts'
import { expandQuery, type Group, toExpression } from './match-groups.ts'
import { parseQuery } from './parse-query.ts'
import { bestFit, explainRank, type Reason, scoreOf, WEIGHTS } from './rank.ts'
import { isBroken, openSearchDatabase, replaceSearchDatabase } from './search-database.ts'
import type { SearchDocument } from './search-document.ts'
import { createVocabulary, type Vocabulary } from './vocabulary.ts'

export interface SearchPorts {
  file: string
  now: () => number
  warn: (message: string) => void
  /** The index was damaged and is empty now: whoever fills it does it again. */
  onReset?: () => void
}

export interface SearchOptions {
  kinds?: readonly string[]
  limit?: number
  offset?: number
  /** How many others lead to a document. */
  linksTo?: (id: string) => number
  /** Without them thousands of results cost little. */
  snippets?: boolean
}

export interface SearchResult {
  id: string
  kind: string
  title: string
  updatedMs: number
  score: number
  /** What the score is made of. */
  why: Reason[]
  /** Where in the document it is, and how it reads there. */
  anchor: string
  heading: string
  snippet: SnippetPart[]
  data: string
}

export interface SearchAnswer {
  results: SearchResult[]
  total: number
  /** `some`: no document has all of the words, these have some. */
  matched: 'all' | 'some' | 'none'
  /** Words that nobody wrote, with what was looked for in their place. */
  corrections: { word: string; used: string[] }[]
}

export interface SearchIndex {
  /** Adds documents, or replaces those of the same ids; all or none. */
  put: (documents: readonly SearchDocument[]) => void
  remove: (ids: readonly string[]) => void
  /** What is there of a kind: its versions, and what was stored with them. */
  entries: (kind: string) => { id: string; mark: string; data: string }[]
  search: (query: string, options?: SearchOptions) => SearchAnswer
  close: () => void
}

const CANDIDATES = 200
/** Characters of all results together that are looked through for their best place. */
const SNIPPET_BUDGET = 400_000

const entryRow = z.object({ id: z.string(), mark: z.string(), data: z.string() })
const fitRow = z.object({
  number: z.number(),
  id: z.string(),
  title: z.string(),
  updated_ms: z.number(),
  fit_title: z.number(),
  fit_tag: z.number(),
  fit_heading: z.number(),
  fit_text: z.number(),
})
const shownRow = z.object({ kind: z.string(), sections: z.string(), data: z.string() })
const sectionList = z.array(z.object({ anchor: z.string(), heading: z.string(), text: z.string() }))

/** The full-text index of documents and notes, in one file that can be made again from them. */
export const openSearchIndex = ({ file, now, warn, onReset }: SearchPorts): SearchIndex => {
  let statements = openStatements(file, warn)
  let vocabulary: Vocabulary | undefined

  /** What finds the file damaged makes it anew, and is done once more on the new one. */
  const use = <T>(work: (with_: Statements) => T): T => {
    try {
      return work(statements)
    } catch (thrown) {
      if (!isBroken(thrown)) throw toStorageError(file, thrown)
      closeQuietly(statements.database, warn)
      statements = prepare(replaceSearchDatabase(file, warn, thrown))
      vocabulary = undefined
      onReset?.()
      return work(statements)
    }
  }
  const words = (): Vocabulary => {
    vocabulary ??= createVocabulary(statements.terms.all().map(({ term }) => String(term)))
    return vocabulary
  }
  const lookup = {
    has: (term: string) => statements.hasTerm.get(term) !== undefined,
    hasPrefix: (prefix: string) =>
      statements.hasPrefix.get(prefix, `${prefix}\u{10FFFF}`) !== undefined,
    nearTo: (term: string) => words().nearTo(term),
  }

  return {
    put: (documents) =>
      use((to) =>
        inTransaction(to.database, () => {
          for (const document of documents) {
            const terms = store(to, document)
            vocabulary?.add(terms)
          }
        }),
      ),
    remove: (ids) =>
      use((to) =>
        inTransaction(to.database, () => {
          for (const id of ids) forget(to, id)
        }),
      ),
    entries: (kind) => use(({ entries }) => entries.all(kind).map((row) => entryRow.parse(row))),
    search: (query, options = {}) =>
      use((from) => searchIn(from, expandQuery(parseQuery(query), lookup), query, options, now())),
    close: () => closeQuietly(statements.database, warn),
  }
}

/** A file may open and still be no index: its tables are looked at for the first time here. */
const openStatements = (file: string, warn: (message: string) => void): Statements => {
  const database = openSearchDatabase(file, warn)
  try {
    return prepare(database)
  } catch (thrown) {
    closeQuietly(database, warn)
    if (!isBroken(thrown) && sqliteCodeOf(thrown) !== SQLITE.error) {
      throw toStorageError(file, thrown)
    }
    return prepare(replaceSearchDatabase(file, warn, thrown))
  }
}

const FIT = (column: keyof typeof WEIGHTS): string => {
  const order = ['title', 'tag', 'heading', 'text'] as const
  const weights = order.map((each) => (each === column ? WEIGHTS[each].toFixed(1) : '0.0'))
  return `-bm25(words, ${weights.join(', ')}) AS fit_${column}`
}

const prepare = (database: DatabaseSync) => ({
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
  // The plus keeps the database from beginning the search again for every number.
  fits: database.prepare(
    `SELECT words.rowid AS number, id, documents.title, updated_ms,
       ${FIT('title')}, ${FIT('tag')}, ${FIT('heading')}, ${FIT('text')}
     FROM words JOIN documents ON documents.number = words.rowid
     WHERE words MATCH ? AND +words.rowid IN (SELECT value FROM json_each(?))`,
  ),
  shown: database.prepare('SELECT kind, sections, data FROM documents WHERE number = ?'),
})
type Statements = ReturnType<typeof prepare>

const searchIn = (
  from: Statements,
  groups: readonly Group[],
  query: string,
  { kinds, limit = 20, offset = 0, linksTo = () => 0, snippets = true }: SearchOptions,
  nowMs: number,
): SearchAnswer => {
  const corrections = groups
    .filter((group) => group.corrections.length > 0)
    .map((group) => ({ word: group.text, used: [...group.corrections] }))
  const among = kinds === undefined ? null : JSON.stringify(kinds)
  const count = (expression: string): number =>
    Number(from.count.get(expression, among, among)?.total)
  let expression = toExpression(groups, 'AND')
  let total = groups.length === 0 ? 0 : count(expression)
  let matched: SearchAnswer['matched'] = 'all'
  if (total === 0 && groups.length > 1) {
    matched = 'some'
    expression = toExpression(groups, 'OR')
    total = count(expression)
  }
  if (total === 0) return { results: [], total, matched: 'none', corrections }

  const most = Math.max(CANDIDATES, offset + limit)
  const numbers = from.candidates.all(expression, among, among, most).map(({ number }) => number)
  const fits = from.fits.all(expression, JSON.stringify(numbers)).map((row) => {
    const read = fitRow.parse(row)
    const { fit_title: title, fit_tag: tag, fit_heading: heading, fit_text: text } = read
    return { ...read, fit: { title, tag, heading, text } }
  })
  const best = bestFit(fits.map(({ fit }) => fit))
  const wanted = foldWords(query).join(' ')
  const ranked = fits.map((row) => {
    const exactTitle = foldWords(row.title).join(' ') === wanted
    const ageMs = nowMs - row.updated_ms
    const why = explainRank({ fit: row.fit, exactTitle, ageMs, links: linksTo(row.id) }, best)
    return { row, why, score: scoreOf(why) }
  })
  const page = ranked
    .toSorted((a, b) => b.score - a.score || (a.row.id < b.row.id ? -1 : 1))
    .slice(offset, offset + limit)
  const budget = Math.floor(SNIPPET_BUDGET / Math.max(1, page.length))
  const results = page.map(({ row, why, score }): SearchResult => {
    const shown = shownRow.parse(from.shown.get(row.number))
    const { anchor, heading, parts } = snippets
      ? makeSnippet(sectionList.parse(JSON.parse(shown.sections)), groups, budget)
      : { anchor: '', heading: '', parts: [] }
    return {
      id: row.id,
      kind: shown.kind,
      title: row.title,
      updatedMs: row.updated_ms,
      score,
      why,
      anchor,
      heading,
      snippet: parts,
      data: shown.data,
    }
  })
  return { results, total, matched, corrections }
}

const store = (to: Statements, document: SearchDocument): string[] => {
  forget(to, document.id)
  const { sections } = document
  const columns = {
    title: foldWords([document.title, ...document.names].join(' ')),
    tag: foldWords(document.tags.join(' ')),
    heading: foldWords(sections.map(({ heading }) => heading).join(' ')),
    text: foldWords(sections.map(({ text }) => text).join(' ')),
  }
  const { lastInsertRowid } = to.addDocument.run(
    document.id,
    document.kind,
    document.title,
    document.updatedMs,
    document.mark,
    JSON.stringify(sections),
    document.data,
  )
  to.addWords.run(
    lastInsertRowid,
    columns.title.join(' '),
    columns.tag.join(' '),
    columns.heading.join(' '),
    columns.text.join(' '),
  )
  return Object.values(columns).flat()
}

const forget = (to: Statements, id: string): void => {
  const number = to.numberOf.get(id)?.number
  if (number === undefined) return
  to.removeWords.run(number)
  to.removeDocument.run(number)
}

const inTransaction = (database: DatabaseSync, work: () => void): void => {
  database.exec('BEGIN IMMEDIATE')
  try {
    work()
    database.exec('COMMIT')
  } catch (thrown) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw thrown
  }
}

/** A damaged file may not even close in order. */
const closeQuietly = (database: DatabaseSync, warn: (message: string) => void): void => {
  try {
    if (database.isOpen) database.close()
  } catch (thrown) {
    warn(`the search index did not close in order: ${String(thrown)}`)
  }
}
