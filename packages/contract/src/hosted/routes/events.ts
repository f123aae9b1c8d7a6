import { z } from 'zod'
import { sendEventsBody } from '../client-events.ts'
import { echoEvent } from '../echo-events.ts'
import { listableEvent } from '../events.ts'
import { hostedId } from '../instant.ts'
import { createdRange, listOrder, pageOf, pageQuery } from '../page.ts'
import { PREVIEWED_EVENT_TYPES } from '../stream-events.ts'
import { defineHostedRoute, queryList } from './hosted-route.ts'

const params = z.object({ session_id: hostedId })

/** Query of every stream. */
export const streamQuery = z.object({
  /** Also stream previews of these events. */
  event_deltas: queryList(z.enum(PREVIEWED_EVENT_TYPES)),
  /** Start after this event instead of now; equivalent to `Last-Event-ID`. */
  after: hostedId.optional(),
})

export const hostedEventRoutes = {
  listEvents: defineHostedRoute({
    method: 'GET',
    path: '/v1/sessions/:session_id/events',
    summary: "A session's log.",
    family: 'agents',
    scope: 'read',
    worker: true,
    params,
    query: z.object({
      ...pageQuery,
      /** Unknown types match no event. */
      types: queryList(z.string()),
      order: listOrder.default('asc'),
      created_at: createdRange,
    }),
    answer: pageOf(listableEvent),
    errors: ['not_found'],
  }),
  sendEvents: defineHostedRoute({
    method: 'POST',
    path: '/v1/sessions/:session_id/events',
    summary: 'Sends messages, results, confirmations or an interrupt; all are accepted or none.',
    family: 'agents',
    scope: 'write',
    worker: true,
    params,
    body: sendEventsBody,
    answer: z.object({ data: z.array(echoEvent) }),
    errors: ['not_found', 'archived', 'payload_too_large'],
  }),
  streamEvents: defineHostedRoute({
    method: 'GET',
    path: '/v1/sessions/:session_id/events/stream',
    alsoAt: '/v1/sessions/:session_id/stream',
    summary: 'Streams new events of a session (server-sent events).',
    family: 'agents',
    scope: 'read',
    worker: true,
    params,
    query: streamQuery,
    answer: 'event-stream',
    errors: ['not_found', 'too_many_streams'],
  }),
}
