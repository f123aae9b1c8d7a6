import { z } from 'zod'
import { hostedId, instant } from './instant.ts'
import { stopDetails, stopReason } from './stop-reason.ts'

const ofThread = {
  id: hostedId,
  processed_at: instant,
  session_thread_id: hostedId,
  agent_name: z.string(),
}

export const sessionThreadCreatedEvent = z.object({
  ...ofThread,
  type: z.literal('session.thread_created'),
  workflow_run_id: hostedId.nullable(),
})
export const sessionThreadStatusRunningEvent = z.object({
  ...ofThread,
  type: z.literal('session.thread_status_running'),
})
export const sessionThreadStatusIdleEvent = z.object({
  ...ofThread,
  type: z.literal('session.thread_status_idle'),
  stop_reason: stopReason,
  stop_details: stopDetails.nullable(),
})
export const sessionThreadStatusRescheduledEvent = z.object({
  ...ofThread,
  type: z.literal('session.thread_status_rescheduled'),
})
export const sessionThreadStatusTerminatedEvent = z.object({
  ...ofThread,
  type: z.literal('session.thread_status_terminated'),
})

export const threadEvents = [
  sessionThreadCreatedEvent,
  sessionThreadStatusRunningEvent,
  sessionThreadStatusIdleEvent,
  sessionThreadStatusRescheduledEvent,
  sessionThreadStatusTerminatedEvent,
] as const
