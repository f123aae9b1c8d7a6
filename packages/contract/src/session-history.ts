import { z } from 'zod'
import { sessionSpend } from './api/usage.ts'
import { stewardEvent } from './event.ts'
import { algorithmSession } from './work-state.ts'

/**
 * `working`: it does something, possibly in the background. `waiting`: it asked the person
 * something. `idle`: its turn is over. `inactive`: it was never finished and is silent for long.
 */
export const SESSION_STATUSES = [
  'working',
  'waiting',
  'idle',
  'failed',
  'ended',
  'inactive',
] as const
export type SessionStatus = (typeof SESSION_STATUSES)[number]

/**
 * Every session is in one: `needs` asked the person something or stopped with an error, `done` has
 * ended or is silent for long.
 */
export const SESSION_GROUPS = ['needs', 'running', 'idle', 'done'] as const
export type SessionGroup = (typeof SESSION_GROUPS)[number]

const count = z.int().nonnegative()

/** One session of an assistant, from the event logs. */
export const sessionSummary = z
  .object({
    id: z.string(),
    name: z.string(),
    /** The beginning of its first request. */
    prompt: z.string().nullable(),
    /** The assistant; `hosted` for a background agent. */
    host: z.string(),
    /** The machine that pushed it; null for this one. */
    machine: z.string().nullable(),
    /** The folder that it works in. */
    project: z.string().nullable(),
    status: z.enum(SESSION_STATUSES),
    startedAt: z.string(),
    lastActivityAt: z.string(),
    endedAt: z.string().nullable(),
    /** How it began: startup, resume, clear or compact. */
    startSource: z.string().nullable(),
    model: z.string().nullable(),
    prompts: count,
    toolCalls: count,
    failures: count,
    subagents: count,
    /** The beginning of its last answer. */
    lastMessage: z.string().nullable(),
    /** The known cost of its model calls; null if none is known. */
    costUsd: z.number().nonnegative().nullable(),
  })
  .meta({ id: 'SessionSummary' })
export type SessionSummary = z.infer<typeof sessionSummary>

export const sessionPage = z.object({
  sessions: z.array(sessionSummary),
  /** The `before` value of the next page; null on the last. */
  next: z.string().nullable(),
  total: count,
  /** True if more may fit than were counted: `total` and `groups` are then lower bounds. */
  atLeast: z.boolean(),
  /** How many sessions each group has, with the other filters. */
  groups: z.record(z.enum(SESSION_GROUPS), count),
  /** The assistants and the last folders of all sessions, to choose from. */
  hosts: z.array(z.string()),
  projects: z.array(z.string()),
  /** True while the logs are still being read; the list is not complete yet. */
  indexing: z.boolean(),
})
export type SessionPage = z.infer<typeof sessionPage>

/** How much the assistants did, by hour. */
export const activity = z.object({
  /** Oldest first, without gaps; the last one is the current hour. */
  hours: z.array(z.object({ at: z.iso.datetime(), events: count, failures: count })),
  /** Sessions that began or were active in this time. */
  sessions: count,
})
export type Activity = z.infer<typeof activity>

export const sessionDetail = z.object({
  session: sessionSummary,
  /** Its task, phases and criteria. */
  work: z.array(algorithmSession),
  /** Null if no model call of it is known. */
  usage: sessionSpend.nullable(),
  /** Newest first. */
  events: z.array(stewardEvent),
  next: z.string().nullable(),
})
export type SessionDetail = z.infer<typeof sessionDetail>
