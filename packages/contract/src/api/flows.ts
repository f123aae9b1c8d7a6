import { z } from 'zod'
import { FEED_ERROR_CLASSES, FEED_HEALTHS, FEED_TIERS } from '../feeds.ts'
import { flowItem, ITEM_STATES, retryItems } from '../flow-items.ts'
import { flowBlock, flowStateEntry } from '../flow-state.ts'
import { RUN_STATUSES, spend } from '../run.ts'
import { defineRoute } from './route.ts'

const READ = 'Reading is open on loopback: other origins and host names are already refused.'
const time = z.iso.datetime()

/** Model usage of one flow on one UTC day; `flow` is null for runs outside any flow. */
export const dailySpend = spend.extend({ day: z.iso.date(), flow: z.string().nullable() })
export type DailySpend = z.infer<typeof dailySpend>

/** Undelivered items of a flow, by state. */
export const openItems = z.object({
  waiting: z.int().nonnegative(),
  /** Processing failed; a later run tries again. */
  failing: z.int().nonnegative(),
  givenUp: z.int().nonnegative(),
  rejected: z.int().nonnegative(),
})
export type OpenItems = z.infer<typeof openItems>

/** A run of a flow, as a card shows it. */
export const recentRun = z.object({
  id: z.string(),
  status: z.enum(RUN_STATUSES),
  startedAt: time,
  durationMs: z.number().nonnegative().nullable(),
})
export type RecentRun = z.infer<typeof recentRun>

/** One feed of `feeds.json` with the state of its checks. */
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
  /** Deliveries so far; restarts at zero when a message becomes a dead letter. */
  attempts: z.int().nonnegative(),
  state: z.enum(['ready', 'delayed', 'leased']),
})
export type QueueMessageView = z.infer<typeof queueMessageView>

/** A queue between flows, with its producers and consumers. */
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
  /** The queue for messages that failed too often; null when no flow here consumes the queue. */
  deadLetterQueue: z.string().nullable(),
  dead: z.int().nonnegative(),
  deadLetters: z.array(queueMessageView),
})
export type QueueView = z.infer<typeof queueView>

/** A flow on the local edge, as its worker reports it. */
export const edgeFlow = z.object({
  name: z.string(),
  blocked: flowBlock,
  /** Null if it keeps no items, or if its worker gave no answer. */
  open: openItems.nullable(),
  /** Why its worker gave no answer; null if it did. */
  problem: z.string().nullable(),
})
export type EdgeFlow = z.infer<typeof edgeFlow>

const edge = z
  .literal('true')
  .optional()
  .meta({ description: 'The flow on the local edge (`steward edge up`), not the one here.' })

export const flowRoutes = {
  listEdgeFlows: defineRoute({
    method: 'GET',
    path: '/api/edge/flows',
    summary: 'Whether the local edge runs, and its flows with their undelivered items.',
    access: 'local',
    why: READ,
    answer: z.object({ running: z.boolean(), flows: z.array(edgeFlow) }),
  }),
  receiveWebhook: defineRoute({
    method: 'POST',
    path: '/webhooks/:flow',
    summary:
      'A signed call for a flow with a webhook source; answered when it is on disk, and run once per delivery id.',
    access: 'public',
    why: 'Senders have no token: each call is signed with the secret that the flow names.',
    params: z.object({ flow: z.string().min(1).max(200) }),
    takesBytes: true,
    answer: z.union([
      z.object({
        success: z.literal(true),
        delivery: z.string(),
        /** It was accepted before and does not run again. */
        repeated: z.boolean(),
      }),
      z.object({ challenge: z.string() }),
    ]),
    status: 202,
    errors: [
      'not_found',
      'signature_invalid',
      'flow_disabled',
      'invalid_input',
      'invalid_json',
      'payload_too_large',
    ],
  }),
  getDelivery: defineRoute({
    method: 'GET',
    path: '/api/webhooks/:flow/deliveries/:id',
    summary: 'An accepted call of a webhook and the run that it caused.',
    access: 'local',
    why: READ,
    params: z.object({ flow: z.string().min(1), id: z.string().min(1) }),
    answer: z.object({
      flow: z.string(),
      id: z.string(),
      receivedAt: time,
      /** `done`: its items are in the flow’s ledger. */
      state: z.enum(['waiting', 'done']),
      run: z.string().nullable(),
      detail: z.string().nullable(),
    }),
    errors: ['not_found'],
  }),
  getFlowStates: defineRoute({
    method: 'GET',
    path: '/api/flows',
    summary: 'The last runs and open items of each flow, and model costs per day and flow.',
    access: 'local',
    why: READ,
    query: z.object({ days: z.coerce.number().int().min(1).max(90).default(7) }),
    answer: z.object({
      /** By flow id. */
      states: z.record(z.string(), flowStateEntry),
      /** By flow id; flows without open items are absent. */
      open: z.record(z.string(), openItems),
      /** By flow name, the newest first. */
      recent: z.record(z.string(), z.array(recentRun)),
      spend: z.array(dailySpend),
    }),
  }),
  listFlowItems: defineRoute({
    method: 'GET',
    path: '/api/flows/:flow/items',
    summary: 'The items of a flow with their states, the latest change first.',
    access: 'local',
    why: READ,
    params: z.object({ flow: z.string().min(1) }),
    query: z.object({
      state: z.enum(ITEM_STATES).optional(),
      limit: z.coerce.number().int().min(1).max(1000).default(100),
      edge,
    }),
    answer: z.object({ items: z.array(flowItem) }),
    errors: ['not_found', 'not_configured', 'invalid_name', 'upstream_failed'],
  }),
  retryFlowItems: defineRoute({
    method: 'POST',
    path: '/api/flows/:flow/retry',
    summary:
      'Retries undelivered items of a flow; answers at once with the id of the run. Stored outputs are delivered without a model call.',
    access: 'token',
    why: 'It delivers items, and may run the pipeline again, which can spend money.',
    params: z.object({ flow: z.string().min(1) }),
    query: z.object({ edge }),
    body: retryItems,
    answer: z.object({ id: z.string() }),
    status: 202,
    errors: [
      'not_found',
      'invalid_input',
      'run_active',
      'not_configured',
      'invalid_name',
      'upstream_failed',
    ],
    perMinute: 60,
  }),
  listFeeds: defineRoute({
    method: 'GET',
    path: '/api/feeds',
    summary: 'The subscribed feeds and the state of their checks.',
    access: 'local',
    why: READ,
    answer: z.object({ feeds: z.array(feedStatus) }),
  }),
  listQueues: defineRoute({
    method: 'GET',
    path: '/api/queues',
    summary: 'Queues between flows, with waiting messages and dead letters.',
    access: 'local',
    why: READ,
    answer: z.object({ queues: z.array(queueView) }),
  }),
  retryDeadLetters: defineRoute({
    method: 'POST',
    path: '/api/queues/:queue/retry',
    summary:
      'Moves the dead letters of a queue back into it; the next run of its flow processes them.',
    access: 'token',
    why: 'It makes flows process these messages again, which may spend money.',
    params: z.object({ queue: z.string().min(1) }),
    body: z.strictObject({}),
    answer: z.object({ moved: z.int().nonnegative() }),
    errors: ['not_found'],
    perMinute: 60,
  }),
}
