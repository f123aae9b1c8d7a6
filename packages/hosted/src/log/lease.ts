import { StewardError } from '@steward/contract'
import { z } from 'zod'
import { execute, one, query, type Tx } from '../database/tx.ts'

/**
 * The right to act for a session. A former holder cannot append any more, because the epoch has
 * changed.
 */
export interface Lease {
  sessionId: string
  owner: string
  epoch: number
  untilMs: number
}

export interface LeaseTerms {
  owner: string
  nowMs: number
  ttlMs: number
}

/**
 * Leases are renewed every few seconds and last for seconds; a session that waits is woken within the hour.
 * What reaches further ahead was written before the clock was set back.
 */
const LONGEST_LEASE_MS = 10 * 60_000
export const LONGEST_WAKE_MS = 3_600_000

const leased = z.object({ lease_epoch: z.coerce.number() })

/** Takes the lease if it is free or expired; the same owner cannot take it twice. */
export function* claimLease(sessionId: string, terms: LeaseTerms): Tx<Lease | undefined> {
  const untilMs = terms.nowMs + terms.ttlMs
  const row = yield* one(
    `UPDATE sessions SET lease_owner = $2, lease_epoch = lease_epoch + 1, lease_until_ms = $3
     WHERE id = $1 AND archived_ms IS NULL AND (lease_until_ms IS NULL OR lease_until_ms <= $4 OR lease_until_ms > $5)
     RETURNING lease_epoch`,
    sessionId,
    terms.owner,
    untilMs,
    terms.nowMs,
    terms.nowMs + Math.max(LONGEST_LEASE_MS, terms.ttlMs),
  )
  if (row === undefined) return undefined
  return { sessionId, owner: terms.owner, epoch: leased.parse(row).lease_epoch, untilMs }
}

/** Extends it; `undefined` if another owner has it by now. */
export function* renewLease(lease: Lease, terms: LeaseTerms): Tx<Lease | undefined> {
  const untilMs = terms.nowMs + terms.ttlMs
  const row = yield* one(
    'UPDATE sessions SET lease_until_ms = $3 WHERE id = $1 AND lease_epoch = $2 RETURNING id',
    lease.sessionId,
    lease.epoch,
    untilMs,
  )
  return row === undefined ? undefined : { ...lease, untilMs }
}

/** Releases it. `sleep` also removes the session from the list of due sessions. */
export function* releaseLease(
  lease: Lease,
  next: { type: 'sleep'; seenSeq: number } | { type: 'again'; atMs: number | null },
): Tx<void> {
  const free = 'lease_owner = NULL, lease_until_ms = NULL'
  if (next.type === 'again') {
    yield* execute(
      `UPDATE sessions SET ${free}, awake = 1, wake_ms = $3 WHERE id = $1 AND lease_epoch = $2`,
      lease.sessionId,
      lease.epoch,
      next.atMs,
    )
    return
  }
  // Events that arrived after the brain's last look keep the session awake.
  yield* execute(
    `UPDATE sessions SET ${free}, wake_ms = NULL, awake = CASE WHEN last_seq > $3 THEN 1 ELSE 0 END
     WHERE id = $1 AND lease_epoch = $2`,
    lease.sessionId,
    lease.epoch,
    next.seenSeq,
  )
}

/**
 * Sessions and threads with work to do and no lease holder, the longest waiting first. The threads
 * of a session share a sandbox, so while another process works on one of them, the others are its
 * work as well.
 */
export function* findDueSessions(nowMs: number, limit: number, owner = ''): Tx<readonly string[]> {
  const isElsewhere = 'o.lease_owner <> $5 AND o.lease_until_ms > $1 AND o.lease_until_ms <= $3'
  const rows = yield* query(
    `SELECT id FROM sessions s
     WHERE awake = 1 AND archived_ms IS NULL AND (wake_ms IS NULL OR wake_ms <= $1 OR wake_ms > $4)
       AND (lease_until_ms IS NULL OR lease_until_ms <= $1 OR lease_until_ms > $3)
       AND NOT EXISTS (SELECT 1 FROM sessions o WHERE o.parent_id = s.id AND ${isElsewhere})
       AND (s.parent_id IS NULL OR NOT EXISTS (SELECT 1 FROM sessions o
         WHERE (o.id = s.parent_id OR o.parent_id = s.parent_id) AND o.id <> s.id AND ${isElsewhere}))
     ORDER BY updated_ms LIMIT $2`,
    nowMs,
    limit,
    nowMs + LONGEST_LEASE_MS,
    nowMs + LONGEST_WAKE_MS,
    owner,
  )
  return rows.map((row) => String(row.id))
}

/** Makes all sessions due that wait for their next attempt. */
export function* wakeRescheduled(nowMs: number): Tx<void> {
  yield* execute(
    `UPDATE sessions SET wake_ms = $1
     WHERE status = 'rescheduling' AND awake = 1 AND archived_ms IS NULL AND wake_ms > $1 AND lease_owner IS NULL`,
    nowMs,
  )
}

export const leaseLost = (sessionId: string): StewardError =>
  new StewardError('hosted_lease_lost', { session: sessionId })

/** All owners of current or expired leases. */
export function* listLeaseOwners(): Tx<readonly string[]> {
  const rows = yield* query(
    'SELECT DISTINCT lease_owner FROM sessions WHERE lease_owner IS NOT NULL',
  )
  return rows.map((row) => String(row.lease_owner))
}

/** Takes all leases from a dead owner; the changed epoch protects against a wrong guess. */
export function* freeLeases(owner: string): Tx<void> {
  yield* execute(
    `UPDATE sessions SET lease_owner = NULL, lease_until_ms = NULL, lease_epoch = lease_epoch + 1
     WHERE lease_owner = $1`,
    owner,
  )
}
