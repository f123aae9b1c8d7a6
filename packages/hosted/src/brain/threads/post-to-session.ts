import { stopReason } from '@steward/contract'
import {
  EVENT_COLUMNS,
  type NewEvent,
  type StoredEvent,
  toStoredEvent,
} from '../../database/stored-event.ts'
import { query, type Tx } from '../../database/tx.ts'
import { appendAfter } from '../../log/append-events.ts'
import type { StoredSession } from '../../log/stored-session.ts'
import { toSessionEvents } from './thread-events.ts'

/**
 * Writes what a thread did to the log of its session, which the caller has locked. Returns the
 * session afterwards.
 */
export function* postToSession(
  session: StoredSession,
  thread: StoredSession,
  events: readonly StoredEvent[],
  nowMs: number,
): Tx<StoredSession> {
  const calls: NewEvent[] = []
  for (const { type, body } of events)
    if (type === 'session.thread_status_idle') calls.push(...(yield* findAsks(thread.id, body)))
  const posts = [...calls, ...toSessionEvents(thread, events)]
  if (posts.length === 0) return session
  const wakes = wakesCoordinator(session, posts)
  const { head } = yield* appendAfter(session.id, session, posts, { nowMs, wakes })
  return { ...session, ...head }
}

/** Calls that the client must answer appear on the session's log under the same id. */
function* findAsks(threadId: string, body: StoredEvent['body']): Tx<NewEvent[]> {
  const reason = stopReason.parse(body.stop_reason)
  if (reason.type !== 'requires_action' || reason.event_ids.length === 0) return []
  const places = reason.event_ids.map((_, index) => `$${index + 2}`).join(', ')
  const rows = yield* query(
    `SELECT ${EVENT_COLUMNS} FROM events WHERE session_id = $1 AND id IN (${places}) ORDER BY seq`,
    threadId,
    ...reason.event_ids,
  )
  return rows.map(toStoredEvent).map(({ id, type, body: call }) => ({
    id,
    type,
    body: { ...call, session_thread_id: threadId },
    dedup: `call:${id}`,
  }))
}

/** A coordinator that works anyway learns the rest when it looks. */
const wakesCoordinator = ({ summary }: StoredSession, posts: readonly NewEvent[]): boolean =>
  posts.some(({ type }) => {
    if (type === 'agent.thread_message_received') return true
    if (!type.startsWith('session.thread_status_')) return false
    return summary.status === 'idle' || ENDS.has(type)
  })

const ENDS: ReadonlySet<string> = new Set([
  'session.thread_status_idle',
  'session.thread_status_terminated',
])
