import { z } from 'zod'
import { hostedId, instant } from './instant.ts'

/** The API's term for a program with several agents; the vendor's sessions emit these events. */
const ofRun = { id: hostedId, processed_at: instant, workflow_run_id: hostedId }

export const workflowRunError = z.object({
  type: z.enum([
    'timeout_error',
    'program_error',
    'thread_limit_error',
    'max_workflow_runs_error',
    'unknown_error',
  ]),
  message: z.string(),
})

export const workflowRunCreatedEvent = z.object({
  ...ofRun,
  type: z.literal('workflow_run.created'),
  name: z.string(),
  description: z.string().nullable(),
  phases: z.array(z.object({ id: hostedId, name: z.string(), description: z.string().nullable() })),
})
export const workflowRunStatusRunningEvent = z.object({
  ...ofRun,
  type: z.literal('workflow_run.status_running'),
})
export const workflowRunStatusIdleEvent = z.object({
  ...ofRun,
  type: z.literal('workflow_run.status_idle'),
})
export const workflowRunStatusEndedEvent = z.object({
  ...ofRun,
  type: z.literal('workflow_run.status_ended'),
  result: z.discriminatedUnion('type', [
    z.object({ type: z.literal('completed') }),
    z.object({ type: z.literal('stopped') }),
    z.object({ type: z.literal('error'), error: workflowRunError }),
  ]),
})
export const workflowRunErrorEvent = z.object({
  ...ofRun,
  type: z.literal('workflow_run.error'),
  workflow_run_id: hostedId.nullable(),
  error: workflowRunError,
})
export const workflowRunPhaseStartedEvent = z.object({
  ...ofRun,
  type: z.literal('workflow_run.phase_started'),
  workflow_run_phase_id: hostedId,
})
export const workflowRunPhaseEndedEvent = z.object({
  ...ofRun,
  type: z.literal('workflow_run.phase_ended'),
  workflow_run_phase_id: hostedId,
  phase_started_id: hostedId,
})

export const workflowEvents = [
  workflowRunCreatedEvent,
  workflowRunStatusRunningEvent,
  workflowRunStatusIdleEvent,
  workflowRunStatusEndedEvent,
  workflowRunErrorEvent,
  workflowRunPhaseStartedEvent,
  workflowRunPhaseEndedEvent,
] as const
