import { StewardError } from '@steward/contract'
import { z } from 'zod'
import { one, query, type Tx } from '../database/tx.ts'

/** The right to act for a session. Who loses it can append nothing more: the epoch has moved on. */
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
const LONGEST_WAKE_MS = 24 * 3_600_000

const leased = z.object({ lease_epoch: z.coerce.number() })

/** Takes the lease when nobody has it or its holder let it run out; the same owner takes no second one. */
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

/** Holds on to it; `undefined` when somebody else has it by now. */
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

/** Gives it back. `sleep` also takes the session off the list of those with something to do. */
export function* releaseLease(
  lease: Lease,
  next: { type: 'sleep'; seenSeq: number } | { type: 'again'; atMs: number | null },
): Tx<void> {
  const free = 'lease_owner = NULL, lease_until_ms = NULL'
  if (next.type === 'again') {
    yield* query(
      `UPDATE sessions SET ${free}, awake = 1, wake_ms = $3 WHERE id = $1 AND lease_epoch = $2`,
      lease.sessionId,
      lease.epoch,
      next.atMs,
    )
    return
  }
  // What arrived after the brain's last look keeps the session awake.
  yield* query(
    `UPDATE sessions SET ${free}, wake_ms = NULL, awake = CASE WHEN last_seq > $3 THEN 1 ELSE 0 END
     WHERE id = $1 AND lease_epoch = $2`,
    lease.sessionId,
    lease.epoch,
    next.seenSeq,
  )
}

/** Sessions that have something to do and nobody who does it, the longest waiting first. */
export function* findDueSessions(nowMs: number, limit: number): Tx<readonly string[]> {
  const rows = yield* query(
    `SELECT id FROM sessions
     WHERE awake = 1 AND archived_ms IS NULL AND (wake_ms IS NULL OR wake_ms <= $1 OR wake_ms > $4)
       AND (lease_until_ms IS NULL OR lease_until_ms <= $1 OR lease_until_ms > $3)
     ORDER BY updated_ms LIMIT $2`,
    nowMs,
    limit,
    nowMs + LONGEST_LEASE_MS,
    nowMs + LONGEST_WAKE_MS,
  )
  return rows.map((row) => String(row.id))
}

export const leaseLost = (sessionId: string): StewardError =>
  new StewardError('hosted_lease_lost', { session: sessionId })

/** Everyone who holds a lease or let one run out. */
export function* listLeaseOwners(): Tx<readonly string[]> {
  const rows = yield* query(
    'SELECT DISTINCT lease_owner FROM sessions WHERE lease_owner IS NOT NULL',
  )
  return rows.map((row) => String(row.lease_owner))
}

/** Takes all leases from an owner who is known to be dead; the epoch moves on should that be wrong. */
export function* freeLeases(owner: string): Tx<void> {
  yield* query(
    `UPDATE sessions SET lease_owner = NULL, lease_until_ms = NULL, lease_epoch = lease_epoch + 1
     WHERE lease_owner = $1`,
    owner,
  )
}
