import { EVENT_COLUMNS, type StoredEvent, toStoredEvent } from '../database/stored-event.ts'
import { query, type Tx } from '../database/tx.ts'

/** The log after a position, in order. */
export function* readEvents(
  sessionId: string,
  afterSeq = 0,
  limit = Number.MAX_SAFE_INTEGER,
): Tx<readonly StoredEvent[]> {
  const rows = yield* query(
    `SELECT ${EVENT_COLUMNS} FROM events WHERE session_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
    sessionId,
    afterSeq,
    limit,
  )
  return rows.map(toStoredEvent)
}
