import { z } from 'zod'
import { one, type Tx } from '../database/tx.ts'
import { appendEvents } from '../log/append-events.ts'
import { claimLease, type Lease, type LeaseTerms } from '../log/lease.ts'
import { MARKS } from './marks.ts'

const found = z.object({
  status: z.string(),
  lease_until_ms: z.coerce.number().nullable(),
  last_ms: z.coerce.number().nullable(),
})

/**
 * Takes the lease. A session that was running although nobody held it lost its brain: the time from
 * that one's last sign of life (its last event or renewal) until now ran for nobody and is not paid.
 */
export function* claimSession(sessionId: string, terms: LeaseTerms): Tx<Lease | undefined> {
  const row = yield* one(
    `SELECT status, lease_until_ms,
       (SELECT MAX(created_ms) FROM events WHERE session_id = $1 AND seq = last_seq) AS last_ms
     FROM sessions WHERE id = $1 FOR UPDATE`,
    sessionId,
  )
  if (row === undefined) return undefined
  const before = found.parse(row)
  const lease = yield* claimLease(sessionId, terms)
  if (lease === undefined || before.status !== 'running') return lease
  const renewedMs = before.lease_until_ms === null ? 0 : before.lease_until_ms - terms.ttlMs
  const aliveMs = Math.max(renewedMs, before.last_ms ?? 0)
  const body = { dead_ms: Math.max(0, terms.nowMs - aliveMs) }
  yield* appendEvents(sessionId, [{ type: MARKS.resumed, body, listed: false }], {
    nowMs: terms.nowMs,
    lease,
  })
  return lease
}
