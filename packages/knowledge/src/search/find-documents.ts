import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { z } from 'zod'
import { foldWords } from './fold-words.ts'
import { makeSnippet, type SnippetPart } from './make-snippet.ts'
import { type Group, toExpression } from './match-groups.ts'
import { bestFit, explainRank, type Reason, scoreOf } from './rank.ts'
import type { SearchStatements } from './search-statements.ts'
import { SNIPPET_CHARS } from './store-document.ts'

export interface SearchOptions {
  kinds?: readonly string[]
  limit?: number
  offset?: number
  /** The number of links to a document. */
  linksTo?: (id: string) => number
  /** Without snippets, thousands of results are cheap. */
  snippets?: boolean
}

export interface SearchResult {
  id: string
  kind: string
  title: string
  updatedMs: number
  score: number
  /** The parts of the score. */
  why: Reason[]
  /** The position of the best match, and the text there. */
  anchor: string
  heading: string
  snippet: SnippetPart[]
  data: string
}

export interface SearchAnswer {
  results: SearchResult[]
  total: number
  /** `some`: no document has all words; these have some. */
  matched: 'all' | 'some' | 'none'
  /** Words that no document has, with their corrections. */
  corrections: { word: string; used: string[] }[]
}

const CANDIDATES = 200
const LIMIT = 20
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

type RankedRow = z.infer<typeof fitRow> & Pick<SearchResult, 'why' | 'score'>

interface Candidates extends Pick<SearchAnswer, 'total' | 'matched'> {
  numbers: unknown[]
  expression: string
}

/** Reads the index, which may be rebuilt in between. */
type ReadIndex = <T>(work: (from: SearchStatements) => T) => T

/**
 * Matching documents, best first, with the parts of each score and the best match. Long documents
 * take time, so others get their turn in between.
 */
export const findDocuments = async (
  readIndex: ReadIndex,
  groups: readonly Group[],
  query: string,
  options: SearchOptions,
  nowMs: number,
): Promise<SearchAnswer> => {
  const corrections = groups
    .filter((group) => group.corrections.length > 0)
    .map((group) => ({ word: group.text, used: [...group.corrections] }))
  const candidates = readIndex((from) => findCandidates(from, groups, options))
  const { total, matched } = candidates
  if (total === 0) return { results: [], total, matched, corrections }
  await yieldToOthers()
  const page = readIndex((from) => rankCandidates(from, candidates, query, options, nowMs))
  const budget = Math.floor(SNIPPET_CHARS / Math.max(1, page.length))
  const results: SearchResult[] = []
  for (const row of page) {
    const stored = readIndex((from) => from.shown.get(row.number))
    // Removed in the meantime.
    if (stored === undefined) continue
    const shown = shownRow.parse(stored)
    const { anchor, heading, parts } =
      options.snippets === false
        ? { anchor: '', heading: '', parts: [] }
        : await makeSnippet(sectionList.parse(JSON.parse(shown.sections)), groups, budget)
    results.push({
      id: row.id,
      kind: shown.kind,
      title: row.title,
      updatedMs: row.updated_ms,
      score: row.score,
      why: row.why,
      anchor,
      heading,
      snippet: parts,
      data: shown.data,
    })
    if (options.snippets !== false) await yieldToOthers()
  }
  return { results, total, matched, corrections }
}

const findCandidates = (
  from: SearchStatements,
  groups: readonly Group[],
  { kinds, limit = LIMIT, offset = 0 }: SearchOptions,
): Candidates => {
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
  if (total === 0) return { numbers: [], expression, total, matched: 'none' }
  const most = Math.max(CANDIDATES, offset + limit)
  const numbers = from.candidates.all(expression, among, among, most).map(({ number }) => number)
  return { numbers, expression, total, matched }
}

const rankCandidates = (
  from: SearchStatements,
  { numbers, expression }: Candidates,
  query: string,
  { limit = LIMIT, offset = 0, linksTo = () => 0 }: SearchOptions,
  nowMs: number,
): RankedRow[] => {
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
    return { ...row, why, score: scoreOf(why) }
  })
  return ranked
    .toSorted((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    .slice(offset, offset + limit)
}
