import { z } from 'zod'
import { stewardEvent } from '../event.ts'
import { fields } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { defineRoute } from './route.ts'

const READ = 'Reading is open on loopback: other origins and host names are already refused.'
const PUSH =
  'Hooks and other daemons push without a token on loopback; only events and state are accepted.'

/**
 * Keys under which an edge-kv target and the dashboard worker store pushed data. Spec 2,
 * Transports.
 */
export const SYNC_KEYS = { events: 'sync:events', workState: 'sync:work_state' } as const

export const observabilityRoutes = {
  getObservabilityState: defineRoute({
    method: 'GET',
    path: '/api/observability/state',
    summary: 'The last pushed work state, else the local file, else empty.',
    access: 'local',
    why: READ,
    answer: z.object({
      sessions: z.record(z.string(), fields),
      source: z.enum(['push', 'file']),
      receivedAt: z.string().nullable(),
    }),
    errors: ['work_state_unreadable'],
  }),
  pushObservabilityState: defineRoute({
    method: 'POST',
    path: '/api/observability/state',
    summary: 'Accepts a complete work-state document; it survives restarts.',
    access: 'local',
    why: PUSH,
    body: fields,
    answer: z.object({ ok: z.literal(true) }),
    maxBodyBytes: LIMITS.daemonPushBytes,
  }),
  getObservabilityEvents: defineRoute({
    method: 'GET',
    path: '/api/observability/events',
    summary: 'Pushed data, unchanged.',
    access: 'local',
    why: READ,
    answer: z.object({ events: z.array(stewardEvent), receivedAt: z.string().nullable() }),
  }),
  pushObservabilityEvents: defineRoute({
    method: 'POST',
    path: '/api/observability/events',
    summary: 'Accepts an array of at most 200 events, `{events}`, or one event.',
    access: 'local',
    why: PUSH,
    body: z.union([z.array(z.unknown()), fields]),
    answer: z.object({
      ok: z.literal(true),
      accepted: z.int().nonnegative(),
      rejected: z.int().nonnegative(),
    }),
    maxBodyBytes: LIMITS.daemonPushBytes,
  }),
  listRecentEvents: defineRoute({
    method: 'GET',
    path: '/api/events/recent',
    summary: 'Events of all sources, newest first, at most 200.',
    access: 'local',
    why: READ,
    answer: z.object({ events: z.array(stewardEvent) }),
  }),
  streamEvents: defineRoute({
    method: 'GET',
    path: '/api/events/stream',
    summary: 'Events as they arrive (server-sent events); resumes after `Last-Event-ID`.',
    access: 'local',
    why: READ,
    query: z.object({
      /**
       * Same as `Last-Event-ID`, for browsers that reopen the stream and cannot send the header.
       */
      after: z.string().max(4000).optional(),
    }),
    answer: 'event-stream',
  }),
  listVoiceEvents: defineRoute({
    method: 'GET',
    path: '/api/observability/voice-events',
    summary: 'The last 100 voice events and how many were spoken.',
    access: 'local',
    why: READ,
    answer: z.object({
      events: z.array(stewardEvent),
      summary: z.object({
        total: z.int(),
        sent: z.int(),
        failed: z.int(),
        skipped: z.int(),
        /** 0 to 100. */
        successRate: z.number(),
      }),
    }),
  }),
  listToolFailures: defineRoute({
    method: 'GET',
    path: '/api/observability/tool-failures',
    summary: 'The last 100 tool failures, and the count per tool.',
    access: 'local',
    why: READ,
    answer: z.object({
      events: z.array(stewardEvent),
      summary: z.object({
        total: z.int(),
        recent24h: z.int(),
        byTool: z.record(z.string(), z.int()),
      }),
    }),
  }),
}
