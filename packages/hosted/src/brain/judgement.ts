import type { OUTCOME_VERDICTS } from '@steward/contract'
import type { NewEvent } from '../log/stored-event.ts'
import type { OutcomeState } from './log-view.ts'
import type { ModelReply } from './models/model.ts'
import { toModelUsage } from './reply-events.ts'
import { readVerdict } from './requests.ts'

/** What a judge's reply means for an outcome. */
export const judgementEvent = (outcome: OutcomeState, reply: ModelReply): NewEvent => {
  const verdict = readVerdict(reply)
  return {
    type: 'span.outcome_evaluation_end',
    body: {
      outcome_evaluation_start_id: outcome.evaluating,
      outcome_id: outcome.id,
      iteration: outcome.iteration,
      result: toResult(outcome, verdict?.satisfied),
      explanation: verdict?.explanation ?? 'The model gave no verdict that can be read.',
      usage: toModelUsage(reply.usage),
    },
  }
}

const toResult = (
  { iteration, maxIterations }: OutcomeState,
  satisfied: boolean | undefined,
): (typeof OUTCOME_VERDICTS)[number] => {
  if (satisfied === undefined) return 'failed'
  if (satisfied) return 'satisfied'
  return iteration + 1 >= maxIterations ? 'max_iterations_reached' : 'needs_revision'
}
