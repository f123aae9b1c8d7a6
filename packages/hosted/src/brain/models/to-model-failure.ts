import { parseRetryAfter, reasonOf } from '@steward/contract'
import { type FailureKind, ModelFailure } from './model-failure.ts'

/** A vendor's error response. */
export interface VendorAnswer {
  /** `undefined` when no response arrived. */
  status: number | undefined
  /** The vendor's own error type or code. */
  kind: string | null
  message: string
  /** `retry-after-ms`, `retry-after`. */
  header: (name: string) => string | null
}

export const toModelFailure = (answer: VendorAnswer, nowMs: number, cause: unknown): ModelFailure =>
  new ModelFailure(kindOf(answer), answer.message, {
    retryAfterMs: retryAfterOf(answer, nowMs),
    cause,
  })

/** A network failure: the connection was refused or broke. */
export const connectionFailure = (thrown: unknown): ModelFailure =>
  new ModelFailure('failed', `no connection to the model: ${innermost(thrown)}`, { cause: thrown })

/** `fetch failed` is uninformative; its cause is not. */
const innermost = (thrown: unknown): string =>
  thrown instanceof Error && thrown.cause instanceof Error
    ? innermost(thrown.cause)
    : reasonOf(thrown)

const TOO_LONG =
  /prompt is too long|context.?(length|window|size)|maximum context|too many (input )?tokens/i
const BILLING = new Set(['billing_error', 'insufficient_quota'])

const kindOf = ({ status, kind, message }: VendorAnswer): FailureKind => {
  if (status === 402 || (kind !== null && BILLING.has(kind))) return 'billing'
  if (status === 529 || kind === 'overloaded_error') return 'overloaded'
  if (status === 429 || kind === 'rate_limit_error') return 'rate_limited'
  if (status === 413 || (status === 400 && TOO_LONG.test(message))) return 'too_long'
  if (status === undefined || status === 408 || status === 409 || status >= 500) return 'failed'
  return 'rejected'
}

/** Longer waits are ignored as implausible. */
const LONGEST_WAIT_MS = 3_600_000

const retryAfterOf = ({ header }: VendorAnswer, nowMs: number): number | undefined => {
  const inMs = Number(header('retry-after-ms') ?? Number.NaN)
  const asked = inMs >= 0 ? inMs : parseRetryAfter(header('retry-after'), nowMs)
  return asked !== undefined && asked <= LONGEST_WAIT_MS ? asked : undefined
}
