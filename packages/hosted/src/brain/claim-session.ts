import { z } from 'zod'
import { one, type Tx } from '../database/tx.ts'
import { appendEvents } from '../log/append-events.ts'
import { claimLease, type Lease, type LeaseTerms } from '../log/lease.ts'
import { findSession, isThreadId } from '../log/stored-session.ts'
import { sessionSummary } from '../log/summary.ts'
import { MARKS } from './internal-events.ts'

const number = z.coerce.number()
const found = z.object({
  status: z.string(),
  summary: z.string(),
  lease_until_ms: number.nullable(),
  last_ms: number.nullable(),
  parent_id: z.string().nullable(),
  is_elsewhere: number,
})

/**
 * Takes the lease, unless another process works on a thread of the same session, because they share
 * a sandbox. A session that was running without a lease holder lost its brain: the time
 * between that brain's last sign of life (its last event or renewal) and now is not billed.
 */
export function* claimSession(sessionId: string, terms: LeaseTerms): Tx<Lease | undefined> {
  // A session is locked before its threads, so claims of its threads wait for each other.
  if (isThreadId(sessionId))
    yield* one(
      'SELECT id FROM sessions WHERE id = (SELECT parent_id FROM sessions WHERE id = $1) FOR UPDATE',
      sessionId,
    )
  const row = yield* one(
    `SELECT status, summary, lease_until_ms, parent_id,
       (SELECT MAX(created_ms) FROM events WHERE session_id = $1 AND seq = last_seq) AS last_ms,
       (SELECT COUNT(*) FROM sessions o
        WHERE (o.id = s.parent_id OR o.parent_id = COALESCE(s.parent_id, s.id)) AND o.id <> s.id
          AND o.lease_owner <> $2 AND o.lease_until_ms > $3) AS is_elsewhere
     FROM sessions s WHERE id = $1 FOR UPDATE`,
    sessionId,
    terms.owner,
    terms.nowMs,
  )
  if (row === undefined) return undefined
  const before = found.parse(row)
  if (before.is_elsewhere > 0) return undefined
  const lease = yield* claimLease(sessionId, terms)
  if (lease === undefined || before.status !== 'running') return lease
  const { waitsForThreads } = sessionSummary.parse(JSON.parse(before.summary))
  // It was not dead, but waited for its threads.
  if (waitsForThreads) return lease
  const renewedMs = before.lease_until_ms === null ? 0 : before.lease_until_ms - terms.ttlMs
  const aliveMs = Math.max(renewedMs, before.last_ms ?? 0)
  const { nowMs } = terms
  yield* appendEvents(sessionId, [resumedEvent(nowMs - aliveMs)], { nowMs, lease })
  if (before.parent_id !== null) yield* excuseSession(before.parent_id, aliveMs, nowMs)
  return lease
}

const resumedEvent = (deadMs: number) => ({
  type: MARKS.resumed,
  body: { dead_ms: Math.max(0, deadMs) },
  listed: false,
})

/**
 * The session was not active either while its threads were dead; threads that died together count
 * once.
 */
function* excuseSession(sessionId: string, aliveMs: number, nowMs: number): Tx<void> {
  const session = yield* findSession(sessionId)
  if (session?.summary.waitsForThreads !== true) return
  const last = yield* one(
    'SELECT MAX(created_ms) AS last_ms FROM events WHERE session_id = $1 AND seq = $2',
    sessionId,
    session.lastSeq,
  )
  const deadMs = nowMs - Math.max(aliveMs, Number(last?.last_ms ?? 0))
  if (deadMs <= 0) return
  yield* appendEvents(sessionId, [resumedEvent(deadMs)], { nowMs })
}
