import { parseRetryAfter } from './retry-after.ts'
import { findVendorFailure, type VendorFailure } from './vendor-failure.ts'

/** Waits; ends early, by resolving or rejecting, when the signal aborts. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>

interface RetryRule {
  retries: number
  /** The first wait; each later one is twice the one before. */
  firstDelayMs: number
}

/** How often, and after how long, each kind of failure is tried again. */
const RETRY_RULES = {
  rateLimited: { retries: 5, firstDelayMs: 1000 },
  overloaded: { retries: 4, firstDelayMs: 5000 },
  failed: { retries: 3, firstDelayMs: 1000 },
} as const satisfies Record<string, RetryRule>

/** A vendor that asks for a longer wait than this is not waited for. */
const MAX_DELAY_MS = 60_000

interface Ports {
  sleep: Sleep
  now: () => Date
}

/** Runs `attempt` until it succeeds or its failure is one that waiting does not cure. */
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

/** How long to wait before trying again; undefined when it should not be tried again. */
const delayBefore = (
  failure: VendorFailure,
  failuresBefore: number,
  now: Date,
): number | undefined => {
  const rule = ruleFor(failure)
  if (rule === undefined || failuresBefore >= rule.retries) return undefined
  const asked = parseRetryAfter(failure.retryAfter, now)
  if (asked !== undefined) return asked <= MAX_DELAY_MS ? asked : undefined
  return Math.min(rule.firstDelayMs * 2 ** failuresBefore, MAX_DELAY_MS)
}

const ruleFor = ({ status, kind }: VendorFailure): RetryRule | undefined => {
  // An empty account answers 429 as well, and stays empty.
  if (kind === 'insufficient_quota') return undefined
  if (status === 429) return RETRY_RULES.rateLimited
  if (status === 529) return RETRY_RULES.overloaded
  if (status === undefined || status === 408 || status >= 500) return RETRY_RULES.failed
  return undefined
}
