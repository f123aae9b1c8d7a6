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

const count = z.int().nonnegative()

/** One session of an assistant, from the event logs. */
export const sessionSummary = z
  .object({
    id: z.string(),
    name: z.string(),
    /** The assistant. */
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
  })
  .meta({ id: 'SessionSummary' })
export type SessionSummary = z.infer<typeof sessionSummary>

export const sessionPage = z.object({
  sessions: z.array(sessionSummary),
  /** The `before` value of the next page; null on the last. */
  next: z.string().nullable(),
  total: count,
  /** True while the logs are still being read; the list is not complete yet. */
  indexing: z.boolean(),
})
export type SessionPage = z.infer<typeof sessionPage>

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
