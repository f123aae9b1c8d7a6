import { z } from 'zod'
import { hostedId } from '../hosted/instant.ts'
import { logQuery, sessionRow } from '../hosted/overview.ts'
import { defineRoute } from './route.ts'

const READ = 'Reading is open on loopback: other origins and host names are refused before.'
const STEER = 'Who steers an agent has it do things, and spends money.'

const count = z.int().nonnegative()
const base = { seq: z.int().positive(), id: z.string(), at: z.string(), type: z.string() }

/** An event of a session's log as a person reads it. Long texts are cut, pictures are named. */
export const hostedEntry = z.discriminatedUnion('kind', [
  z.object({
    ...base,
    kind: z.literal('message'),
    by: z.enum(['you', 'agent', 'system']),
    text: z.string(),
    /** The agent has not taken it up yet. */
    queued: z.boolean(),
  }),
  z.object({
    ...base,
    kind: z.literal('call'),
    tool: z.string(),
    input: z.string(),
    permission: z.enum(['allow', 'ask', 'deny']).nullable(),
    /** Why it was asked about or refused by itself. */
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
    /** Of the `asking` that it ends. */
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

/** The server that answers on this data home. */
const hostedServer = z.object({
  address: z.string(),
  /** Whether it is part of this daemon, or a `steward hosted serve` beside it. */
  by: z.enum(['daemon', 'another']),
  engine: z.string(),
  driver: z.string(),
  isolated: z.boolean(),
  limits: z.string(),
  seccomp: z.boolean(),
  remarks: z.array(z.string()),
  /** Who answers model calls; what runs elsewhere does not say. */
  model: z.string().nullable(),
  counts: z.record(z.string(), count),
})
export type HostedServerView = z.infer<typeof hostedServer>

export const hostedListRow = sessionRow.extend({ last: hostedEntry.nullable() })
export type HostedListRow = z.infer<typeof hostedListRow>

/** `failed`: switched on and not running. `unreachable`: a server left word of itself and does not answer. */
export const HOSTED_STATES = ['off', 'starting', 'failed', 'unreachable', 'on'] as const

const params = z.object({ id: hostedId })
const done = z.object({ ok: z.literal(true) })
const errors = ['hosted_not_found', 'archived', 'session_running', 'upstream_failed'] as const

export const hostedRoutes = {
  getHosted: defineRoute({
    method: 'GET',
    path: '/api/hosted',
    summary: 'Hosted agents: whether they run here, how they are isolated, sessions newest first.',
    access: 'local',
    why: READ,
    query: z.object({ archived: z.stringbool().default(false) }),
    answer: z.object({
      state: z.enum(HOSTED_STATES),
      /** Whether `hosted.enabled` is true. */
      enabled: z.boolean(),
      /** Why this daemon serves none although it should, or why nobody answers. */
      reason: z.string().nullable(),
      server: hostedServer.nullable(),
      sessions: z.array(hostedListRow),
      /** There are older ones. */
      more: z.boolean(),
    }),
    errors: ['upstream_failed'],
  }),
  getHostedEvents: defineRoute({
    method: 'GET',
    path: '/api/hosted/:id/events',
    summary: 'A hosted session and its log: the newest events, or those after or before a place.',
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
    summary: 'Sends a message to a hosted session; more of them queue.',
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
    summary: 'Allows or refuses a tool call that a hosted session waits with.',
    access: 'token',
    why: STEER,
    params,
    body: z.strictObject({
      callId: hostedId,
      allow: z.boolean(),
      /** What the agent is told with a refusal. */
      message: z.string().trim().max(10_000).optional(),
    }),
    answer: done,
    errors: [...errors, 'invalid_input', 'module_failed'],
  }),
  archiveHosted: defineRoute({
    method: 'POST',
    path: '/api/hosted/:id/archive',
    summary: 'Archives a hosted session for good: it can be read, and does nothing more.',
    access: 'token',
    why: STEER,
    params,
    body: z.strictObject({}),
    answer: done,
    errors: [...errors, 'module_failed'],
  }),
}
