import type { RecordedError, RunStatus, Spend } from '@steward/contract'
import { isErrorCode, StewardError } from '@steward/contract/client'
import { formatCost, formatCount } from '../../ui/format.ts'

type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'info'

const TONES: Readonly<Record<RunStatus, Tone>> = {
  running: 'info',
  completed: 'good',
  filtered: 'neutral',
  failed: 'bad',
  interrupted: 'warn',
  cancelled: 'neutral',
}
export const toneOfStatus = (status: RunStatus): Tone => TONES[status]

const OUTCOME_TONES = {
  delivered: 'good',
  'nothing-new': 'neutral',
  partial: 'warn',
  failed: 'bad',
} as const
export type Outcome = keyof typeof OUTCOME_TONES
export const toneOfOutcome = (outcome: Outcome): Tone => OUTCOME_TONES[outcome]

/** Input and output tokens together; a dash if no model was called. */
export const tokensOf = ({ calls, inputTokens, outputTokens }: Spend): string =>
  calls === 0 ? '–' : formatCount(inputTokens + outputTokens)

export const costOf = ({ calls, cost }: Spend): string => {
  if (calls === 0) return '–'
  return cost === null ? 'unknown' : formatCost(cost)
}

/** Describes model usage, for tooltips. */
export const describeSpend = ({ calls, inputTokens, outputTokens, models }: Spend): string =>
  calls === 0
    ? 'no model calls'
    : `${calls} model ${calls === 1 ? 'call' : 'calls'}, ${formatCount(inputTokens)} tokens in, ${formatCount(outputTokens)} out (${models.join(', ')})`

/** Ids are ordered by time, so their end distinguishes them. */
export const shortId = (id: string): string => (id.length > 12 ? `…${id.slice(-8)}` : id)

const FAILED_ACTION =
  'Fix the action or its input, then rerun from that step: the results of earlier steps are reused.'

/** The remedy of a recorded error, from the error table. */
export const remedyOf = ({ code, message, field }: RecordedError): string | undefined => {
  if (field !== undefined) return `Correct the field ${field} and run it again.`
  // The table addresses someone at a terminal; here the next step is a button.
  if (code === 'action_failed') return FAILED_ACTION
  return isErrorCode(code) ? StewardError.restore(code, message).remedy : undefined
}
