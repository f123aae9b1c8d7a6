import type { ChannelName } from '@steward/contract'
import { LONGEST_RETRY_AFTER_MS } from '../channels/request-service.ts'

interface RateLimit {
  most: number
  windowMs: number
}

interface DeliveryPolicy {
  /** All of them apply; further messages wait. */
  rateLimits: readonly RateLimit[]
  /** Attempts before it is given up. */
  maxAttempts: number
  /** The age after which it is given up. */
  maxAgeMs: number
}

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/**
 * Below the limits of the services: ntfy.sh 60 at once, then one per 5 s; Discord 5 per 2 s and 30
 * per minute; Slack one per second.
 */
export const DELIVERY_POLICY: Readonly<Record<ChannelName, DeliveryPolicy>> = {
  push: {
    rateLimits: [{ most: 12, windowMs: MINUTE_MS }],
    maxAttempts: 12,
    maxAgeMs: 24 * HOUR_MS,
  },
  chat: {
    rateLimits: [
      { most: 2, windowMs: 2 * SECOND_MS },
      { most: 25, windowMs: MINUTE_MS },
    ],
    maxAttempts: 12,
    maxAgeMs: 24 * HOUR_MS,
  },
  // An hour-old alert is useless.
  desktop: {
    rateLimits: [{ most: 10, windowMs: MINUTE_MS }],
    maxAttempts: 3,
    maxAgeMs: 10 * MINUTE_MS,
  },
  email: {
    rateLimits: [
      { most: 5, windowMs: MINUTE_MS },
      { most: 60, windowMs: HOUR_MS },
    ],
    maxAttempts: 12,
    maxAgeMs: 24 * HOUR_MS,
  },
  webpush: {
    rateLimits: [{ most: 12, windowMs: MINUTE_MS }],
    maxAttempts: 12,
    maxAgeMs: 4 * HOUR_MS,
  },
}

/** The longest rate limit window; older attempts do not count. */
export const LONGEST_WINDOW_MS = HOUR_MS

/** Window for merging the same text of the same kind. */
export const MERGE_WINDOW_MS = MINUTE_MS

const FIRST_DELAY_MS = 5 * SECOND_MS
const LONGEST_DELAY_MS = 30 * MINUTE_MS

/** The longest wait for the next attempt, whether ours or requested by a service. */
export const LONGEST_WAIT_MS = Math.max(LONGEST_DELAY_MS, LONGEST_RETRY_AFTER_MS)

/** The delay after consecutive failures; `random` is between 0 and 1 and spreads the retries. */
export const backoffMs = (failures: number, random: number): number => {
  const delayMs = Math.min(FIRST_DELAY_MS * 3 ** Math.max(0, failures - 1), LONGEST_DELAY_MS)
  return Math.round(delayMs * (0.75 + random / 4))
}

/** How long and how many finished deliveries stay in the log. */
export const RETENTION = { maxAgeMs: 30 * 24 * HOUR_MS, maxRows: 5000 } as const
