/** Statements of a response about how long it stays fresh. */
export interface FreshnessHints {
  ttlMinutes: number | null
  maxAgeSeconds: number | null
  /** Milliseconds since the epoch. */
  expiresMs: number | null
}

export const NO_HINTS: FreshnessHints = { ttlMinutes: null, maxAgeSeconds: null, expiresMs: null }

const MINUTE_MS = 60_000
/** Facts 13: whatever a feed asks for, it is checked at least daily and never every minute. */
const SHORTEST_MINUTES = 5
const LONGEST_MINUTES = 1440
export const LONGEST_CHECK_WAIT_MS = LONGEST_MINUTES * MINUTE_MS
/** For feeds without any statement about their interval. */
const DEFAULT_MINUTES = 60
/** Spreads feeds that became due together. */
const JITTER_SHARE = 0.1
/** A poll may start a little earlier in its minute than the one before. */
const SLACK_MS = 30_000

export interface NextCheck {
  nowMs: number
  /** The configured interval; the feed may ask for a longer one. */
  intervalMinutes: number | undefined
  hints: FreshnessHints
  /** In [0, 1). */
  random: () => number
}

/** When to check again: the longest requested interval, within bounds, with jitter. */
export const nextCheckMs = ({ nowMs, intervalMinutes, hints, random }: NextCheck): number => {
  const { ttlMinutes, maxAgeSeconds, expiresMs } = hints
  const asked = [
    intervalMinutes,
    ttlMinutes,
    maxAgeSeconds === null ? null : maxAgeSeconds / 60,
    expiresMs === null ? null : (expiresMs - nowMs) / MINUTE_MS,
  ].filter((minutes) => typeof minutes === 'number')
  const minutes = clamp(asked.length === 0 ? DEFAULT_MINUTES : Math.max(...asked))
  // The shortest interval has no jitter, because a later time would miss its poll.
  const spread = minutes === SHORTEST_MINUTES ? minutes : minutes * (1 + JITTER_SHARE * random())
  return nowMs + clamp(spread) * MINUTE_MS - SLACK_MS
}

/** After a failure: the server's delay within the same bounds, or the configured interval. */
export const nextRetryMs = (
  { nowMs, intervalMinutes, random }: Omit<NextCheck, 'hints'>,
  retryAfterMs: number | null,
): number => {
  const usual = nextCheckMs({ nowMs, intervalMinutes, hints: NO_HINTS, random })
  if (retryAfterMs === null) return usual
  return nowMs + clamp(retryAfterMs / MINUTE_MS) * MINUTE_MS
}

const clamp = (minutes: number): number =>
  Math.min(LONGEST_MINUTES, Math.max(SHORTEST_MINUTES, minutes))
