import { type HostedSession, StewardError } from '@steward/contract'
import { announce, query, type Tx } from '../database/tx.ts'
import { stopWorkOf } from '../work/stop-work.ts'
import { getSession, toHostedSession } from './hosted-session.ts'
import type { StoredSession } from './stored-session.ts'

/** From now on the session is read alone; its sandbox ends, its files stay. */
export function* archiveSession(id: string, nowMs: number): Tx<HostedSession> {
  const session = yield* getSession(id, 'hold')
  if (session.archivedMs !== null) return toHostedSession(session, nowMs)
  checkStill(session)
  // A brain may have taken the session and not have begun: it can write nothing more.
  yield* query(
    `UPDATE sessions SET archived_ms = $2, updated_ms = $2, awake = 0, lease_owner = NULL,
       lease_until_ms = NULL, lease_epoch = lease_epoch + 1 WHERE id = $1`,
    id,
    nowMs,
  )
  yield* stopWorkOf(id, nowMs)
  yield* announce({ sessionId: id, news: { type: 'archived' } })
  return toHostedSession({ ...session, archivedMs: nowMs, updatedMs: nowMs }, nowMs)
}

/** Removes the session with its events, files and tokens; open streams end, its sandbox goes. */
export function* deleteSession(
  id: string,
  nowMs: number,
): Tx<{ id: string; type: 'session_deleted' }> {
  checkStill(yield* getSession(id, 'hold'))
  yield* stopWorkOf(id, nowMs)
  yield* query('DELETE FROM files WHERE session_id = $1', id)
  yield* query('DELETE FROM sessions WHERE id = $1', id)
  yield* announce({ sessionId: id, news: { type: 'deleted' } })
  return { id, type: 'session_deleted' }
}

const checkStill = ({ id, summary }: StoredSession): void => {
  if (summary.status === 'running')
    throw new StewardError('session_running', { session: id, reason: 'it cannot end now' })
}
