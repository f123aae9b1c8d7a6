import { z } from 'zod'
import { FEED_ERROR_CLASSES, FEED_HEALTHS, FEED_TIERS } from '../feeds.ts'
import { flowStateEntry } from '../flow-state.ts'
import { spend } from '../run.ts'
import { defineRoute } from './route.ts'

const READ = 'Reading is open on loopback: other origins and host names are refused before.'
const time = z.iso.datetime()

/** What model calls of one day, in UTC, came to for one flow; `flow` is null for runs outside any. */
export const dailySpend = spend.extend({ day: z.iso.date(), flow: z.string().nullable() })
export type DailySpend = z.infer<typeof dailySpend>

/** One feed of `feeds.json` and how its checks went. */
export const feedStatus = z.object({
  url: z.string(),
  title: z.string().nullable(),
  health: z.enum(FEED_HEALTHS),
  errorClass: z.enum(FEED_ERROR_CLASSES).nullable(),
  errorCount: z.int().nonnegative(),
  lastError: z.string().nullable(),
  lastSuccessAt: time.nullable(),
  nextCheckAt: time.nullable(),
  tier: z.enum(FEED_TIERS).nullable(),
})
export type FeedStatus = z.infer<typeof feedStatus>

export const queueMessageView = z.object({
  id: z.string(),
  body: z.unknown(),
  sentAt: time,
  /** Deliveries so far; counted anew when a message becomes a dead letter. */
  attempts: z.int().nonnegative(),
  state: z.enum(['ready', 'delayed', 'leased']),
})
export type QueueMessageView = z.infer<typeof queueMessageView>

/** A queue between flows, who sends to it and who takes from it. */
export const queueView = z.object({
  queue: z.string(),
  sentBy: z.array(z.string()),
  takenBy: z.array(z.string()),
  ready: z.int().nonnegative(),
  delayed: z.int().nonnegative(),
  leased: z.int().nonnegative(),
  oldestSentAt: time.nullable(),
  /** The first messages, longest due first. */
  messages: z.array(queueMessageView),
  /** Where messages go that failed too often; null when no flow here takes from the queue. */
  deadLetterQueue: z.string().nullable(),
  dead: z.int().nonnegative(),
  deadLetters: z.array(queueMessageView),
})
export type QueueView = z.infer<typeof queueView>

export const flowRoutes = {
  getFlowStates: defineRoute({
    method: 'GET',
    path: '/api/flows',
    summary: 'What the last run of each flow did, by flow id, and what models cost a day and flow.',
    access: 'local',
    why: READ,
    query: z.object({ days: z.coerce.number().int().min(1).max(90).default(7) }),
    answer: z.object({
      states: z.record(z.string(), flowStateEntry),
      spend: z.array(dailySpend),
    }),
  }),
  listFeeds: defineRoute({
    method: 'GET',
    path: '/api/feeds',
    summary: 'The feeds that are followed and how their checks went.',
    access: 'local',
    why: READ,
    answer: z.object({ feeds: z.array(feedStatus) }),
  }),
  listQueues: defineRoute({
    method: 'GET',
    path: '/api/queues',
    summary: 'Queues between flows: what waits, and the dead letters.',
    access: 'local',
    why: READ,
    answer: z.object({ queues: z.array(queueView) }),
  }),
  retryDeadLetters: defineRoute({
    method: 'POST',
    path: '/api/queues/:queue/retry',
    summary: 'Puts the dead letters of a queue back into it; the next run of its flow takes them.',
    access: 'token',
    why: 'It makes flows work on these messages again, which may spend money.',
    params: z.object({ queue: z.string().min(1) }),
    body: z.strictObject({}),
    answer: z.object({ moved: z.int().nonnegative() }),
    errors: ['not_found'],
    perMinute: 60,
  }),
}
