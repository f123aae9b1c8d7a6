import type { StewardError } from '@steward/contract'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** Deliveries cost little; processing may call a model again. */
const LONGEST_MS = { delivery: HOUR_MS, processing: 6 * HOUR_MS }
const JITTER = 0.2

export interface AttemptClock {
  nowMs: number
  /** From 0 to below 1. */
  random: () => number
}

/**
 * When to try again after the n-th failed attempt: a minute, doubled each time, with jitter, so that
 * flows with the same destination do not return together. A destination's `retry-after` wins.
 */
export const nextAttempt = (
  kind: keyof typeof LONGEST_MS,
  attempts: number,
  error: Pick<StewardError, 'details'>,
  { nowMs, random }: AttemptClock,
): { atMs: number; notBeforeMs: number | null } => {
  const asked = retryAfterOf(error)
  if (asked !== undefined) return { atMs: nowMs + asked, notBeforeMs: nowMs + asked }
  const doubled = MINUTE_MS * 2 ** Math.min(30, Math.max(0, attempts - 1))
  const spread = 1 + JITTER * (2 * random() - 1)
  return {
    atMs: Math.round(nowMs + Math.min(LONGEST_MS[kind], doubled) * spread),
    notBeforeMs: null,
  }
}

const LONGEST_ASKED_MS = 24 * HOUR_MS

const retryAfterOf = ({ details }: Pick<StewardError, 'details'>): number | undefined => {
  const { retryAfterSeconds } = details
  return typeof retryAfterSeconds === 'number' && retryAfterSeconds > 0
    ? Math.min(retryAfterSeconds * 1000, LONGEST_ASKED_MS)
    : undefined
}
