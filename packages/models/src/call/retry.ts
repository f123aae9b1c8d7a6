import { parseRetryAfter } from '@steward/contract'
import { classifyFailure } from './classify-failure.ts'
import { findVendorFailure, type VendorFailure } from './vendor-failure.ts'

/** Waits; ends early, by resolving or rejecting, when the signal aborts. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>

interface RetryRule {
  retries: number
  /** The first delay; it doubles each time. */
  firstDelayMs: number
}

/** How often, and after which delay, each kind of failure is retried. */
const RETRY_RULES = {
  rateLimited: { retries: 5, firstDelayMs: 1000 },
  overloaded: { retries: 4, firstDelayMs: 5000 },
  failed: { retries: 3, firstDelayMs: 1000 },
} as const satisfies Record<string, RetryRule>

/** If a vendor asks for a longer delay, the call fails instead. */
const MAX_DELAY_MS = 60_000

interface Ports {
  sleep: Sleep
  now: () => Date
}

/** Runs `attempt` until it succeeds or fails permanently. */
export const retry = async <T>(
  attempt: () => Promise<T>,
  { sleep, now }: Ports,
  signal?: AbortSignal,
): Promise<T> => {
  for (let failures = 0; ; failures++) {
    try {
      return await attempt()
    } catch (error) {
      const failure = findVendorFailure(error)
      const delayMs = failure === undefined ? undefined : delayBefore(failure, failures, now())
      if (delayMs === undefined || signal?.aborted) throw error
      await sleep(delayMs, signal)
      signal?.throwIfAborted()
    }
  }
}

/** The delay before the next retry; undefined if there should be none. */
const delayBefore = (
  failure: VendorFailure,
  failuresBefore: number,
  now: Date,
): number | undefined => {
  const rule = ruleFor(failure)
  if (rule === undefined || failuresBefore >= rule.retries) return undefined
  const asked = parseRetryAfter(failure.retryAfter, now.getTime())
  if (asked !== undefined) return asked <= MAX_DELAY_MS ? asked : undefined
  return Math.min(rule.firstDelayMs * 2 ** failuresBefore, MAX_DELAY_MS)
}

const ruleFor = (failure: VendorFailure): RetryRule | undefined => {
  switch (classifyFailure(failure)) {
    case 'rate-limited':
      return RETRY_RULES.rateLimited
    case 'overloaded':
      return RETRY_RULES.overloaded
    case 'failed':
      return RETRY_RULES.failed
    default:
      return undefined
  }
}
