import type { SessionError } from '@steward/contract'
import type { NewEvent } from '../database/stored-event.ts'
import { LONGEST_WAKE_MS } from '../log/lease.ts'
import type { BrainLimits } from './brain.ts'
import type { FailureKind, ModelFailure } from './models/model-failure.ts'
import { errorEvent, unansweredEvent } from './step-events.ts'

const ERROR_TYPES = {
  overloaded: 'model_overloaded_error',
  rate_limited: 'model_rate_limited_error',
  failed: 'model_request_failed_error',
  rejected: 'model_request_failed_error',
  billing: 'billing_error',
  too_long: 'model_request_failed_error',
} as const satisfies Record<FailureKind, SessionError['type']>

const WAITING_HELPS: ReadonlySet<FailureKind> = new Set(['overloaded', 'rate_limited', 'failed'])

/** What follows a failed request: a retry, a compaction, or the end of the turn. */
export type FailureOutcome =
  | { type: 'retry'; events: readonly NewEvent[]; atMs: number }
  | { type: 'shorten'; events: readonly NewEvent[] }
  | { type: 'give_up'; events: readonly NewEvent[]; error: SessionError }

export interface FailureContext {
  startId: string
  /** Consecutive failures before this one. */
  failures: number
  nowMs: number
  limits: BrainLimits
}

export const judgeFailure = (failure: ModelFailure, context: FailureContext): FailureOutcome => {
  const { startId, failures, nowMs, limits } = context
  if (failure.kind === 'too_long')
    return { type: 'shorten', events: [unansweredEvent(startId, 'too_long')] }
  const end = unansweredEvent(startId, 'failed')
  const told = { type: ERROR_TYPES[failure.kind], message: failure.message }
  if (!WAITING_HELPS.has(failure.kind) || failures + 1 > limits.retries)
    return {
      type: 'give_up',
      events: [end],
      error: { ...told, retry_status: { type: 'exhausted' } },
    }
  const atMs = nowMs + delayOf(failure, failures, limits)
  return {
    type: 'retry',
    atMs,
    events: [
      end,
      errorEvent({ ...told, retry_status: { type: 'retrying' } }),
      { type: 'session.status_rescheduled', hidden: { retryAtMs: atMs } },
    ],
  }
}

/** The delay that the vendor asks for, up to an hour; otherwise it doubles each time. */
const delayOf = (
  { retryAfterMs }: ModelFailure,
  failures: number,
  { retryFirstMs, retryMostMs }: BrainLimits,
): number =>
  Math.min(retryAfterMs ?? Math.min(retryFirstMs * 2 ** failures, retryMostMs), LONGEST_WAKE_MS)
