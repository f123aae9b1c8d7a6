import type { SessionError } from '@steward/contract'
import type { NewEvent } from '../database/stored-event.ts'
import { LONGEST_WAKE_MS } from '../log/lease.ts'
import type { BrainLimits } from './brain.ts'
import type { FailureKind, ModelFailure } from './models/model-failure.ts'
import { errorEvent, type UnansweredBill, unansweredEvent } from './step-events.ts'

const ERROR_TYPES = {
  overloaded: 'model_overloaded_error',
  rate_limited: 'model_rate_limited_error',
  failed: 'model_request_failed_error',
  unusable: 'model_request_failed_error',
  rejected: 'model_request_failed_error',
  billing: 'billing_error',
  too_long: 'model_request_failed_error',
} as const satisfies Record<FailureKind, SessionError['type']>

/** They end by themselves, after hours at most. */
const OUTAGES: ReadonlySet<FailureKind> = new Set(['overloaded', 'rate_limited', 'failed'])

/** What follows a failed request: a retry, a compaction, a request without images, or the end of the turn. */
export type FailureOutcome =
  | { type: 'retry'; events: readonly NewEvent[]; atMs: number }
  | { type: 'shorten'; events: readonly NewEvent[] }
  | { type: 'without_media'; events: readonly NewEvent[] }
  | { type: 'give_up'; events: readonly NewEvent[]; error: SessionError }

export interface FailureContext {
  startId: string
  /** Consecutive failures before this one, and when the first of them was. */
  failures: number
  failingSinceMs: number | null
  /** The input that was new in it has images or documents. */
  hasNewMedia: boolean
  /** What the request used before it failed. */
  bill: UnansweredBill | undefined
  nowMs: number
  limits: BrainLimits
}

export const judgeFailure = (failure: ModelFailure, context: FailureContext): FailureOutcome => {
  const { startId, failures, nowMs, limits, bill } = context
  if (failure.kind === 'too_long')
    return { type: 'shorten', events: [unansweredEvent(startId, 'too_long', bill)] }
  if (failure.kind === 'rejected' && context.hasNewMedia) {
    const error = { type: ERROR_TYPES.rejected, message: failure.message }
    return {
      type: 'without_media',
      events: [
        unansweredEvent(startId, 'media', bill),
        errorEvent({ ...error, retry_status: { type: 'retrying' } }),
      ],
    }
  }
  const end = unansweredEvent(startId, 'failed', bill)
  const told = { type: ERROR_TYPES[failure.kind], message: failure.message }
  if (!isRetried(failure, context))
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
      {
        type: 'session.status_rescheduled',
        hidden: { retryAtMs: atMs, isVendorsTime: failure.retryAfterMs !== undefined },
      },
    ],
  }
}

const isRetried = (
  { kind }: ModelFailure,
  { failures, failingSinceMs, nowMs, limits }: FailureContext,
): boolean => {
  if (OUTAGES.has(kind)) return nowMs - (failingSinceMs ?? nowMs) <= limits.outageMs
  return kind === 'unusable' && failures + 1 <= limits.retries
}

/** The delay that the vendor asks for, up to an hour; otherwise it doubles each time. */
const delayOf = (
  { retryAfterMs }: ModelFailure,
  failures: number,
  { retryFirstMs, retryMostMs }: BrainLimits,
): number =>
  Math.min(retryAfterMs ?? Math.min(retryFirstMs * 2 ** failures, retryMostMs), LONGEST_WAKE_MS)
