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

/** Newest first. A session has its own order in the table; all of them share an index. */
export const listPlaces = (database: Database, filter: PlaceFilter): Row[] => {
  const { limit, at = { atMs: Number.MAX_SAFE_INTEGER, row: 0 }, source, session, sinceMs } = filter
  const conditions = ['(at_ms, row) < (?, ?)']
  const values: Array<string | number> = [at.atMs, at.row]
  if (sinceMs !== undefined) {
    conditions.push('at_ms >= ?')
    values.push(sinceMs)
  }
  if (source !== undefined) {
    conditions.push('files.source = ?')
    values.push(source)
  }
  if (session !== undefined) {
    conditions.push('session IN (SELECT number FROM sessions WHERE substr(lower(id), 1, ?) = ?)')
    values.push(session.length, session)
  }
  const by = session === undefined ? 'INDEXED BY places_by_time' : ''
  return database
    .statement(
      `SELECT at_ms, row, first, after, source, inode, fingerprint
       FROM places ${by} CROSS JOIN files ON files.number = places.file
       WHERE ${conditions.join(' AND ')} ORDER BY at_ms DESC, row DESC LIMIT ?`,
    )
    .all(...values, limit)
}
