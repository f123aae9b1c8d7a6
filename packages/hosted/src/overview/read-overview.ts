import type { LoggedEvent, SessionsOverview } from '@steward/contract'
import {
  EVENT_COLUMNS,
  type StoredEvent,
  toStoredEvent,
  toWireEvent,
} from '../database/stored-event.ts'
import { query, type Tx } from '../database/tx.ts'
import { SESSION_COLUMNS, toStoredSession } from '../log/stored-session.ts'
import { findWaiting } from './find-waiting.ts'
import { toSessionRow } from './session-row.ts'

const MOST_SESSIONS = 200

/** The newest sessions, archived or not, each with what it waits for and its last event. */
export function* readOverview(archived: boolean, nowMs: number): Tx<SessionsOverview> {
  const chosen = `SELECT ${SESSION_COLUMNS} FROM sessions
    WHERE parent_id IS NULL AND archived_ms IS ${archived ? 'NOT NULL' : 'NULL'} ORDER BY created_ms DESC, id DESC LIMIT $1`
  const rows = yield* query(chosen, MOST_SESSIONS + 1)
  const sessions = rows.slice(0, MOST_SESSIONS).map(toStoredSession)
  const lastEvents = yield* readLastEvents(chosen)
  const shown: SessionsOverview['sessions'] = []
  for (const session of sessions) {
    const waiting = yield* findWaiting(session)
    const last = lastEvents.get(session.id)
    shown.push({ ...toSessionRow(session, waiting, nowMs), last: last ? toLogged(last) : null })
  }
  return { sessions: shown, more: rows.length > MOST_SESSIONS }
}

const LAST_COLUMNS = EVENT_COLUMNS.split(', ')
  .map((column) => `e.${column}`)
  .join(', ')

/** One index lookup per session, because a log may be long. */
function* readLastEvents(chosen: string): Tx<ReadonlyMap<string, StoredEvent>> {
  const rows = yield* query(
    `SELECT ${LAST_COLUMNS} FROM (${chosen}) s JOIN events e ON e.session_id = s.id AND e.seq =
       (SELECT x.seq FROM events x WHERE x.session_id = s.id AND x.listed = 1
        AND x.type NOT LIKE 'span.%' AND x.type NOT LIKE 'session.status%'
        AND x.type <> 'session.usage' ORDER BY x.seq DESC LIMIT 1)`,
    MOST_SESSIONS,
  )
  return new Map(rows.map(toStoredEvent).map((event) => [event.sessionId, event]))
}

/** The event as clients see it, with its position and time. */
export const toLogged = (event: StoredEvent): LoggedEvent => ({
  ...toWireEvent(event),
  id: event.id,
  type: event.type,
  seq: event.seq,
  at: new Date(event.createdMs).toISOString(),
})
