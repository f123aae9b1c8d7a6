import { HOSTED_API, type LogQuery, type SessionLog } from '@steward/contract'
import { type Handler, reads } from '../api/handler.ts'
import { createWhere } from '../api/where.ts'
import { EVENT_COLUMNS, toStoredEvent } from '../database/stored-event.ts'
import { one, query, type Tx } from '../database/tx.ts'
import { getSession } from '../sessions/hosted-session.ts'
import { findWaiting } from './find-waiting.ts'
import { readOverview, toLogged } from './read-overview.ts'
import { toSessionRow } from './session-row.ts'

export const overviewHandlers: readonly Handler[] = [
  reads(HOSTED_API.getOverview, ({ query }, { nowMs }) => readOverview(query.archived, nowMs)),
  reads(HOSTED_API.getSessionLog, ({ params, query }, { nowMs }) =>
    readLog(params.session_id, query, nowMs),
  ),
]

/** A session and a part of its log, in order: after a position, before one, or the end. */
function* readLog(id: string, request: LogQuery, nowMs: number): Tx<SessionLog> {
  const { after, before, limit } = request
  const session = yield* getSession(id)
  const where = createWhere()
  where.add('session_id = ?', session.id)
  where.add('listed = 1')
  if (after !== undefined) where.add('seq > ?', after)
  if (before !== undefined) where.add('seq < ?', before)
  const forward = after !== undefined
  const rows = yield* query(
    `SELECT ${EVENT_COLUMNS} FROM events ${where.text} ORDER BY seq ${forward ? 'ASC' : 'DESC'}
     LIMIT ${where.place(limit + 1)}`,
    ...where.values,
  )
  const read = rows.slice(0, limit).map(toStoredEvent)
  const events = forward ? read : read.reverse()
  const hasMore = rows.length > limit
  const [first] = events
  return {
    session: toSessionRow(session, yield* findWaiting(session), nowMs),
    events: events.map(toLogged),
    earlier: forward ? yield* hasListedBefore(id, first?.seq ?? after + 1) : hasMore,
    later: forward ? hasMore : before !== undefined && before <= session.lastSeq,
  }
}

function* hasListedBefore(id: string, seq: number): Tx<boolean> {
  const row = yield* one(
    'SELECT seq FROM events WHERE session_id = $1 AND seq < $2 AND listed = 1 ORDER BY seq LIMIT 1',
    id,
    seq,
  )
  return row !== undefined
}
