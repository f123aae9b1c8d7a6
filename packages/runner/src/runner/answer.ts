import {
  type ActionAnswerV2,
  type ErrorBody,
  type PipelineAnswer,
  primitiveOf,
} from '@steward/contract'
import type { PlanOutcome } from './execute-plan.ts'

type Failure = ErrorBody & { duration_ms: number }

/** The response of an action or pipeline worker (design section 5). */
export const answerOf = (outcome: PlanOutcome): ActionAnswerV2 | PipelineAnswer | Failure => {
  const { name, result, steps } = outcome
  const duration_ms = Math.round(outcome.durationMs)
  if (primitiveOf(name) === 'action') {
    return 'output' in result
      ? { success: true, action: name, duration_ms, output: result.output }
      : { ...result.error.toBody(), action: name, duration_ms }
  }
  const whole = {
    pipeline: name,
    duration_ms,
    total_duration_ms: duration_ms,
    stages: steps.map(({ action }) => action),
    steps,
  }
  if ('output' in result) return { success: true, ...whole, ...result }
  return { ...result.error.toBody(), ...whole, failed_stage: result.stage }
}
