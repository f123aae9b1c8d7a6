import { z } from 'zod'
import { hostedId, instant } from './instant.ts'
import { modelUsage } from './usage.ts'

const stamped = { id: hostedId, processed_at: instant }
const ofOutcome = {
  ...stamped,
  outcome_id: hostedId,
  /** Starts at 0. */
  iteration: z.number().int().nonnegative(),
}

export const OUTCOME_VERDICTS = [
  'satisfied',
  'needs_revision',
  'max_iterations_reached',
  'failed',
  'interrupted',
] as const

export const spanModelRequestStartEvent = z.object({
  ...stamped,
  type: z.literal('span.model_request_start'),
})
export const spanModelRequestEndEvent = z.object({
  ...stamped,
  type: z.literal('span.model_request_end'),
  model_request_start_id: hostedId,
  is_error: z.boolean().nullable(),
  model_usage: modelUsage,
})
export const spanOutcomeEvaluationStartEvent = z.object({
  ...ofOutcome,
  type: z.literal('span.outcome_evaluation_start'),
})
export const spanOutcomeEvaluationOngoingEvent = z.object({
  ...ofOutcome,
  type: z.literal('span.outcome_evaluation_ongoing'),
})
export const spanOutcomeEvaluationEndEvent = z.object({
  ...ofOutcome,
  type: z.literal('span.outcome_evaluation_end'),
  outcome_evaluation_start_id: hostedId,
  result: z.enum(OUTCOME_VERDICTS),
  explanation: z.string(),
  usage: modelUsage,
})

export const spanEvents = [
  spanModelRequestStartEvent,
  spanModelRequestEndEvent,
  spanOutcomeEvaluationStartEvent,
  spanOutcomeEvaluationOngoingEvent,
  spanOutcomeEvaluationEndEvent,
] as const
