import type { RecordedError, RunStatus, Spend } from '@steward/contract'
import { isErrorCode, StewardError } from '@steward/contract/client'
import { formatCost, formatCount } from '../../ui/format.ts'

type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'info'

const TONES: Readonly<Record<RunStatus, Tone>> = {
  running: 'info',
  completed: 'good',
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

/** Tokens in and out together; a dash when no model was asked. */
export const tokensOf = ({ calls, inputTokens, outputTokens }: Spend): string =>
  calls === 0 ? '–' : formatCount(inputTokens + outputTokens)

export const costOf = ({ calls, cost }: Spend): string => {
  if (calls === 0) return '–'
  return cost === null ? 'unknown' : formatCost(cost)
}

/** Sums up model use in words, for titles. */
export const describeSpend = ({ calls, inputTokens, outputTokens, models }: Spend): string =>
  calls === 0
    ? 'no model was asked'
    : `${calls} model ${calls === 1 ? 'call' : 'calls'}, ${formatCount(inputTokens)} tokens in, ${formatCount(outputTokens)} out (${models.join(', ')})`

/** Ids are ordered by time, so their end tells them apart. */
export const shortId = (id: string): string => (id.length > 12 ? `…${id.slice(-8)}` : id)

const FAILED_ACTION =
  'Fix the action or its input, then rerun from that step: the results of earlier steps are reused.'

/** What to do about a recorded failure, as the table of errors has it. */
export const remedyOf = ({ code, message, field }: RecordedError): string | undefined => {
  if (field !== undefined) return `Correct the field ${field} and run it again.`
  // The table speaks to someone at a terminal; here the way on is a button.
  if (code === 'action_failed') return FAILED_ACTION
  return isErrorCode(code) ? StewardError.restore(code, message).remedy : undefined
}
