import { z } from 'zod'
import { agentSnapshot } from './agent-snapshot.ts'
import { hostedId, instant } from './instant.ts'
import { sessionBudget } from './money.ts'
import { sessionError } from './session-error.ts'
import { stopDetails, stopReason } from './stop-reason.ts'
import { sessionUsage } from './usage.ts'

const stamped = { id: hostedId, processed_at: instant }
const stopped = { stop_reason: stopReason, stop_details: stopDetails.nullable() }

export const sessionStatusRunningEvent = z.object({
  ...stamped,
  type: z.literal('session.status_running'),
})
export const sessionStatusIdleEvent = z.object({
  ...stamped,
  ...stopped,
  type: z.literal('session.status_idle'),
})
export const sessionStatusRescheduledEvent = z.object({
  ...stamped,
  type: z.literal('session.status_rescheduled'),
})
export const sessionStatusTerminatedEvent = z.object({
  ...stamped,
  type: z.literal('session.status_terminated'),
})
export const sessionErrorEvent = z.object({
  ...stamped,
  type: z.literal('session.error'),
  error: sessionError,
})
/** Contains only the changed fields. */
export const sessionUpdatedEvent = z.object({
  ...stamped,
  type: z.literal('session.updated'),
  title: z.string().nullable().optional(),
  metadata: z.record(z.string(), z.string()).optional(),
  agent: agentSnapshot.nullable().optional(),
  budget: sessionBudget.nullable().optional(),
})
export const sessionUsageEvent = z.object({
  ...stamped,
  type: z.literal('session.usage'),
  usage: sessionUsage,
  budget: sessionBudget.nullable().optional(),
})
/** Ends every stream of the session and is never listed. */
export const sessionDeletedEvent = z.object({ ...stamped, type: z.literal('session.deleted') })

export const sessionEvents = [
  sessionStatusRunningEvent,
  sessionStatusIdleEvent,
  sessionStatusRescheduledEvent,
  sessionStatusTerminatedEvent,
  sessionErrorEvent,
  sessionUpdatedEvent,
  sessionUsageEvent,
] as const
