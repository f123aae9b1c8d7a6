import { reasonOf, StewardError } from '@steward/contract'
import type { HostedDatabase } from '../database/hosted-database.ts'
import { type Lease, leaseLost, renewLease } from '../log/lease.ts'
import type { Timer } from './brain.ts'

/** A lease that is renewed until it is released. Losing it aborts all work done under it. */
export interface HeldLease {
  readonly lease: Lease
  /** Aborts when another process may already act for the session. */
  readonly signal: AbortSignal
  /**
   * Stops renewing. Resolves when no renewal is in flight, because a late one would undo the
   * release.
   */
  letGo(): Promise<void>
}

export interface HoldPorts {
  database: HostedDatabase
  now: () => number
  timer: Timer
  report: (error: StewardError, sessionId?: string) => void
}

/** Renewals per lease period, so that one failed renewal does no harm. */
const RENEWALS = 3

export const holdLease = (first: Lease, leaseMs: number, ports: HoldPorts): HeldLease => {
  const { database, now, timer, report } = ports
  const lost = new AbortController()
  let untilMs = first.untilMs
  let held = true
  let cancel = (): void => undefined
  let renewing: Promise<void> = Promise.resolve()

  const renew = async (): Promise<void> => {
    try {
      const terms = { owner: first.owner, nowMs: now(), ttlMs: leaseMs }
      const renewed = await database.write(() => renewLease(first, terms))
      if (renewed === undefined) return lost.abort(leaseLost(first.sessionId))
      untilMs = renewed.untilMs
    } catch (thrown) {
      const reason = `the lease could not be renewed: ${reasonOf(thrown)}`
      report(new StewardError('internal', { reason }, thrown), first.sessionId)
      // From then on another process may hold the lease.
      if (now() >= untilMs) return lost.abort(leaseLost(first.sessionId))
    }
    plan()
  }
  const plan = (): void => {
    if (held) {
      cancel = timer(leaseMs / RENEWALS, () => {
        renewing = renew()
      })
    }
  }
  plan()
  return {
    lease: first,
    signal: lost.signal,
    letGo: () => {
      held = false
      cancel()
      return renewing
    },
  }
}
