import type { EventSource } from '@steward/contract'
import type { Database, Row } from '@steward/platform'

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

/** Newest first. A session and a file have their own order; all of them share an index. */
export const listPlaces = (database: Database, filter: PlaceFilter): Row[] => {
  const { limit, source, session } = filter
  if (source !== undefined && session === undefined) return listOfSource(database, filter, source)
  const { conditions, values } = conditionsOf(filter)
  if (source !== undefined) {
    conditions.push('files.source = ?')
    values.push(source)
  }
  if (session !== undefined) {
    conditions.push('session IN (SELECT number FROM sessions WHERE substr(lower(id), 1, ?) = ?)')
    values.push(session.length, session)
  }
  const by = session === undefined ? 'INDEXED BY places_by_time' : ''
  return select(database, by, conditions, [...values, limit])
}

/** Each file has its own order. A source has one file, and a few that were rotated. */
const listOfSource = (database: Database, filter: PlaceFilter, source: EventSource): Row[] => {
  const { conditions, values } = conditionsOf(filter)
  return database
    .statement('SELECT number FROM files WHERE source = ?')
    .all(source)
    .flatMap(({ number }) =>
      select(
        database,
        'INDEXED BY places_by_file',
        ['file = ?', ...conditions],
        [Number(number), ...values, filter.limit],
      ),
    )
    .toSorted((a, b) => Number(b.at_ms) - Number(a.at_ms) || Number(b.row) - Number(a.row))
    .slice(0, filter.limit)
}

interface Conditions {
  conditions: string[]
  values: Array<string | number>
}

const conditionsOf = ({ at, sinceMs }: PlaceFilter): Conditions => {
  const { atMs, row } = at ?? { atMs: Number.MAX_SAFE_INTEGER, row: 0 }
  const since = sinceMs === undefined ? [] : [sinceMs]
  return {
    conditions: ['(at_ms, row) < (?, ?)', ...since.map(() => 'at_ms >= ?')],
    values: [atMs, row, ...since],
  }
}

const select = (
  database: Database,
  by: string,
  conditions: readonly string[],
  values: ReadonlyArray<string | number>,
): Row[] =>
  database
    .statement(
      `SELECT at_ms, row, first, after, source, inode, fingerprint
       FROM places ${by} CROSS JOIN files ON files.number = places.file
       WHERE ${conditions.join(' AND ')} ORDER BY at_ms DESC, row DESC LIMIT ?`,
    )
    .all(...values)
