import type { EventSource } from '@steward/contract'
import type { Database, Row } from '@steward/platform'
import type { Condition } from './session-texts.ts'

/** Which rows of the logs are wanted. */
export interface PlaceFilter {
  limit: number
  /** Rows before this one. */
  at?: { atMs: number; row: number }
  source?: EventSource
  /** The beginning of the session's id, in lower case. */
  session?: string
  sinceMs?: number
}

/** Follows all others, so that a range of ids has a beginning in common. */
export const LAST_CHARACTER = '\u{10ffff}'

/** A beginning of an id that more sessions share is compared row by row. */
const MOST_SESSIONS = 20

/** Newest first. A session and a file have their own order; all of them share an index. */
export const listPlaces = (database: Database, filter: PlaceFilter): Row[] => {
  const { source, session } = filter
  const sessions = session === undefined ? undefined : numbersOf(database, session)
  const ofSource = source === undefined ? [] : [{ sql: 'files.source = ?', values: [source] }]
  if (sessions === undefined) {
    if (source === undefined) return select(database, filter, BY_TIME, [])
    return merge(database, filter, 'INDEXED BY places_by_file', 'file', filesOf(database, source))
  }
  if (sessions.length <= MOST_SESSIONS) {
    return merge(database, filter, '', 'session', sessions, ofSource)
  }
  const own = { sql: `session IN (${SESSIONS_OF})`, values: rangeOf(session ?? '') }
  return select(database, filter, BY_TIME, [own, ...ofSource])
}

const BY_TIME = 'INDEXED BY places_by_time'
const SESSIONS_OF = 'SELECT number FROM sessions WHERE lower(id) >= ? AND lower(id) < ?'
const rangeOf = (start: string): string[] => [start, `${start}${LAST_CHARACTER}`]

const numbersOf = (database: Database, start: string): number[] =>
  database
    .statement(`${SESSIONS_OF} LIMIT ?`)
    .all(...rangeOf(start), MOST_SESSIONS + 1)
    .map(({ number }) => Number(number))

/** A source has one file, and a few that were rotated. */
const filesOf = (database: Database, source: EventSource): number[] =>
  database
    .statement('SELECT number FROM files WHERE source = ?')
    .all(source)
    .map(({ number }) => Number(number))

/** Each of these has its own order. */
const merge = (
  database: Database,
  filter: PlaceFilter,
  by: string,
  column: 'file' | 'session',
  numbers: readonly number[],
  more: readonly Condition[] = [],
): Row[] =>
  numbers
    .flatMap((number) =>
      select(database, filter, by, [{ sql: `${column} = ?`, values: [number] }, ...more]),
    )
    .toSorted((a, b) => Number(b.at_ms) - Number(a.at_ms) || Number(b.row) - Number(a.row))
    .slice(0, filter.limit)

const select = (
  database: Database,
  { at, sinceMs, limit }: PlaceFilter,
  by: string,
  own: readonly Condition[],
): Row[] => {
  const { atMs, row } = at ?? { atMs: Number.MAX_SAFE_INTEGER, row: 0 }
  const conditions = [
    ...own,
    { sql: '(at_ms, row) < (?, ?)', values: [atMs, row] },
    ...(sinceMs === undefined ? [] : [{ sql: 'at_ms >= ?', values: [sinceMs] }]),
  ]
  return database
    .statement(
      `SELECT at_ms, row, first, after, source, inode, fingerprint
       FROM places ${by} CROSS JOIN files ON files.number = places.file
       WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}
       ORDER BY at_ms DESC, row DESC LIMIT ?`,
    )
    .all(...conditions.flatMap(({ values }) => values), limit)
}
