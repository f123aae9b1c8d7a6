import { z } from 'zod'
import { hostedId } from '../hosted/instant.ts'
import { logQuery, sessionRow } from '../hosted/overview.ts'
import { defineRoute } from './route.ts'

const READ = 'Reading is open on loopback: other origins and host names are already refused.'
const STEER = 'It makes an agent act and spend money.'

const count = z.int().nonnegative()
const base = { seq: z.int().positive(), id: z.string(), at: z.string(), type: z.string() }

/**
 * An event of a session's log in readable form. Long texts are cut; images are replaced by their
 * names.
 */
export const hostedEntry = z.discriminatedUnion('kind', [
  z.object({
    ...base,
    kind: z.literal('message'),
    by: z.enum(['you', 'agent', 'system']),
    text: z.string(),
    /** The agent has not processed it yet. */
    queued: z.boolean(),
  }),
  z.object({
    ...base,
    kind: z.literal('call'),
    tool: z.string(),
    input: z.string(),
    permission: z.enum(['allow', 'ask', 'deny']).nullable(),
    /** Why approval was needed, or why the call was refused automatically. */
    reason: z.string().nullable(),
  }),
  z.object({
    ...base,
    kind: z.literal('result'),
    callId: z.string(),
    text: z.string(),
    failed: z.boolean(),
  }),
  z.object({
    ...base,
    kind: z.literal('answer'),
    callId: z.string(),
    allowed: z.boolean(),
    text: z.string().nullable(),
    queued: z.boolean(),
  }),
  z.object({ ...base, kind: z.literal('asking') }),
  z.object({
    ...base,
    kind: z.literal('model'),
    /** The id of the `asking` entry that this one answers. */
    askedId: z.string(),
    failed: z.boolean(),
    tokens: z.object({ input: count, output: count, cacheRead: count, cacheWrite: count }),
  }),
  z.object({ ...base, kind: z.literal('error'), text: z.string(), retry: z.string() }),
  z.object({
    ...base,
    kind: z.literal('status'),
    status: z.enum(['running', 'idle', 'rescheduled', 'terminated']),
    reason: z.string().nullable(),
    text: z.string().nullable(),
  }),
  z.object({ ...base, kind: z.literal('note'), text: z.string() }),
])
export type HostedEntry = z.infer<typeof hostedEntry>
export type HostedEntryOf<K extends HostedEntry['kind']> = Extract<HostedEntry, { kind: K }>

/** The hosted server that uses this data home. */
const hostedServer = z.object({
  address: z.string(),
  /** Whether it runs in this daemon or in a separate `steward hosted serve`. */
  by: z.enum(['daemon', 'another']),
  engine: z.string(),
  driver: z.string(),
  isolated: z.boolean(),
  limits: z.string(),
  seccomp: z.boolean(),
  remarks: z.array(z.string()),
  /** The model provider; null for a server in another process, which does not report it. */
  model: z.string().nullable(),
  counts: z.record(z.string(), count),
})
export type HostedServerView = z.infer<typeof hostedServer>

export const hostedListRow = sessionRow.extend({ last: hostedEntry.nullable() })
export type HostedListRow = z.infer<typeof hostedListRow>

/**
 * `failed`: enabled but not running. `unreachable`: a server registered its address but does not
 * answer.
 */
export const HOSTED_STATES = ['off', 'starting', 'failed', 'unreachable', 'on'] as const

const params = z.object({ id: hostedId })
const done = z.object({ ok: z.literal(true) })
const errors = ['hosted_not_found', 'archived', 'session_running', 'upstream_failed'] as const

export const hostedRoutes = {
  getHosted: defineRoute({
    method: 'GET',
    path: '/api/hosted',
    summary: 'Hosted agents: server state, isolation, and sessions, newest first.',
    access: 'local',
    why: READ,
    query: z.object({ archived: z.stringbool().default(false) }),
    answer: z.object({
      state: z.enum(HOSTED_STATES),
      /** Whether `hosted.enabled` is true. */
      enabled: z.boolean(),
      /**
       * Why this daemon does not serve although it is enabled, or why the server does not answer.
       */
      reason: z.string().nullable(),
      server: hostedServer.nullable(),
      sessions: z.array(hostedListRow),
      /** Older ones exist. */
      more: z.boolean(),
    }),
    errors: ['upstream_failed'],
  }),
  getHostedEvents: defineRoute({
    method: 'GET',
    path: '/api/hosted/:id/events',
    summary:
      'A hosted session and its log: the newest events, or those after or before a position.',
    access: 'local',
    why: READ,
    params,
    query: logQuery,
    answer: z.object({
      session: sessionRow,
      entries: z.array(hostedEntry),
      earlier: z.boolean(),
      later: z.boolean(),
      isolated: z.boolean(),
    }),
    errors: ['hosted_not_found', 'upstream_failed', 'module_failed'],
  }),
  sendHostedMessage: defineRoute({
    method: 'POST',
    path: '/api/hosted/:id/messages',
    summary: 'Sends a message to a hosted session; further messages are queued.',
    access: 'token',
    why: STEER,
    params,
    body: z.strictObject({ text: z.string().trim().min(1).max(100_000) }),
    answer: done,
    errors: [...errors, 'invalid_input', 'module_failed'],
  }),
  interruptHosted: defineRoute({
    method: 'POST',
    path: '/api/hosted/:id/interrupt',
    summary: 'Ends the turn of a hosted session.',
    access: 'token',
    why: STEER,
    params,
    body: z.strictObject({}),
    answer: done,
    errors: [...errors, 'module_failed'],
  }),
  answerHostedCall: defineRoute({
    method: 'POST',
    path: '/api/hosted/:id/answers',
    summary: 'Allows or refuses a tool call that a hosted session waits for.',
    access: 'token',
    why: STEER,
    params,
    body: z.strictObject({
      callId: hostedId,
      allow: z.boolean(),
      /** Sent to the agent together with a refusal. */
      message: z.string().trim().max(10_000).optional(),
    }),
    answer: done,
    errors: [...errors, 'invalid_input', 'module_failed'],
  }),
  archiveHosted: defineRoute({
    method: 'POST',
    path: '/api/hosted/:id/archive',
    summary: 'Archives a hosted session permanently: it can only be read.',
    access: 'token',
    why: STEER,
    params,
    body: z.strictObject({}),
    answer: done,
    errors: [...errors, 'module_failed'],
  }),
}
