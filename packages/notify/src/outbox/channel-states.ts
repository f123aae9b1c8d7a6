import { CHANNELS, type ChannelName, type StewardError } from '@steward/contract'
import type { Connection } from '@steward/platform'
import { z } from 'zod'
import { backoffMs, DELIVERY_POLICY, LONGEST_WINDOW_MS } from './delivery-policy.ts'

/** The state of a channel. */
export interface ChannelState {
  channel: ChannelName
  waiting: number
  /** Consecutive failures. */
  failures: number
  /** Nothing is sent before this time; 0 if the channel is not paused. */
  restUntil: number
  lastDeliveredAt: number | null
  lastError: string | null
  lastErrorAt: number | null
}

export interface ChannelStates {
  /** The end of the pause after failures. */
  restsUntil: (channel: ChannelName) => number
  /** When the pause and rate limits allow the next message. */
  freeAt: (channel: ChannelName) => number
  recordAttempt: (channel: ChannelName) => void
  recordSuccess: (channel: ChannelName) => void
  recordFailure: (channel: ChannelName, error: StewardError, retryAfterMs: number) => void
  list: () => ChannelState[]
  prune: () => void
}

export const createChannelStates = (
  { statement }: Connection,
  { now, random }: { now: () => number; random: () => number },
): ChannelStates => ({
  restsUntil: (channel) => restsUntil(statement, channel),
  freeAt: (channel) => {
    const moments = DELIVERY_POLICY[channel].rateLimits.map(({ most, windowMs }) => {
      // Attempts in the future, after the clock was set back, must not block everything.
      const attempt = statement(NTH_LAST_ATTEMPT).get(channel, now() - windowMs, now(), most - 1)
      return attempt === undefined ? 0 : Number(attempt.at) + windowMs
    })
    return Math.max(restsUntil(statement, channel), ...moments)
  },
  recordAttempt: (channel) => {
    statement('INSERT INTO attempts (channel, at) VALUES (?, ?)').run(channel, now())
  },
  recordSuccess: (channel) => {
    statement(SUCCEEDED).run(channel, now())
  },
  // An outage affects all messages of a service: while it is paused, they do not use up their
  // attempts.
  recordFailure: (channel, error, retryAfterMs) => {
    const row = statement(FAILED).get(channel, error.message, now())
    const restMs = error.retryable
      ? Math.max(backoffMs(Number(row?.failures ?? 1), random()), retryAfterMs)
      : 0
    statement('UPDATE channels SET rest_until = ? WHERE name = ?').run(now() + restMs, channel)
  },
  list: () =>
    CHANNELS.map((channel) => {
      const { name, rest_until, last_delivered_at, last_error, last_error_at, ...counts } =
        row.parse(statement(STATE).get(channel))
      return {
        ...counts,
        channel: name,
        restUntil: rest_until > now() ? rest_until : 0,
        lastDeliveredAt: last_delivered_at,
        lastError: last_error,
        lastErrorAt: last_error_at,
      }
    }),
  prune: () => {
    const sql = 'DELETE FROM attempts WHERE at < ? OR at > ?'
    statement(sql).run(now() - LONGEST_WINDOW_MS, now())
  },
})

const restsUntil = (statement: Connection['statement'], channel: ChannelName): number =>
  Number(statement('SELECT rest_until FROM channels WHERE name = ?').get(channel)?.rest_until ?? 0)

const row = z.object({
  name: z.enum(CHANNELS),
  waiting: z.number(),
  failures: z.number(),
  rest_until: z.number(),
  last_delivered_at: z.number().nullable(),
  last_error: z.string().nullable(),
  last_error_at: z.number().nullable(),
})

const NTH_LAST_ATTEMPT = `
  SELECT at FROM attempts WHERE channel = ? AND at > ? AND at <= ?
  ORDER BY at DESC LIMIT 1 OFFSET ?`

const SUCCEEDED = `
  INSERT INTO channels (name, last_delivered_at) VALUES (?, ?)
  ON CONFLICT (name) DO UPDATE
  SET failures = 0, rest_until = 0, last_delivered_at = excluded.last_delivered_at`

const FAILED = `
  INSERT INTO channels (name, failures, last_error, last_error_at) VALUES (?, 1, ?, ?)
  ON CONFLICT (name) DO UPDATE
  SET failures = failures + 1, last_error = excluded.last_error, last_error_at = excluded.last_error_at
  RETURNING failures`

const STATE = `
  SELECT asked.name, coalesce(failures, 0) AS failures, coalesce(rest_until, 0) AS rest_until,
    last_delivered_at, last_error, last_error_at,
    (SELECT count(*) FROM deliveries WHERE channel = asked.name AND state = 'waiting') AS waiting
  FROM (SELECT ? AS name) AS asked LEFT JOIN channels ON channels.name = asked.name`
