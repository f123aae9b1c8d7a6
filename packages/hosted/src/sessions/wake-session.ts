import { type HostedSession, StewardError } from '@steward/contract'
import { announce, execute, type Tx } from '../database/tx.ts'
import { getSession, toHostedSession } from './hosted-session.ts'

/** Lists the session as due and notifies every brain. Does not change its log. */
export function* wakeSession(id: string, nowMs: number): Tx<HostedSession> {
  const session = yield* getSession(id, 'hold')
  if (session.archivedMs !== null) throw new StewardError('archived', { what: 'session', name: id })
  yield* execute('UPDATE sessions SET awake = 1, wake_ms = NULL WHERE id = $1', id)
  yield* announce({ sessionId: id, news: { type: 'appended', seq: session.lastSeq } })
  return toHostedSession(session, nowMs)
}
