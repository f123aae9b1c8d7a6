import type { ChannelName } from '@steward/contract'
import { LONGEST_RETRY_AFTER_MS } from '../channels/request-service.ts'

interface RateLimit {
  most: number
  windowMs: number
}

interface DeliveryPolicy {
  /** All of them hold; what is above waits. */
  rateLimits: readonly RateLimit[]
  /** Attempts after which it is given up. */
  maxAttempts: number
  /** What waited longer is given up. */
  maxAgeMs: number
}

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** Below what the services allow: ntfy.sh 60 at once and one each 5 s then, Discord 5 in 2 s and 30 a minute, Slack one a second. */
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
  // Nobody needs an alert of an hour ago.
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
}

/** The longest window of all; attempts older than this count nowhere. */
export const LONGEST_WINDOW_MS = HOUR_MS

/** The same text of the same kind within this time is said once. */
export const MERGE_WINDOW_MS = MINUTE_MS

const FIRST_DELAY_MS = 5 * SECOND_MS
const LONGEST_DELAY_MS = 30 * MINUTE_MS

/** No wait for the next attempt is longer, neither our own nor one that a service asks for. */
export const LONGEST_WAIT_MS = Math.max(LONGEST_DELAY_MS, LONGEST_RETRY_AFTER_MS)

/** How long to wait after so many failures in a row; `random` is between 0 and 1, so that not all come back at once. */
export const backoffMs = (failures: number, random: number): number => {
  const delayMs = Math.min(FIRST_DELAY_MS * 3 ** Math.max(0, failures - 1), LONGEST_DELAY_MS)
  return Math.round(delayMs * (0.75 + random / 4))
}

/** What is finished stays in the delivery log for so long, and so many of them. */
export const RETENTION = { maxAgeMs: 30 * 24 * HOUR_MS, maxRows: 5000 } as const
