import type { StewardError } from '@steward/contract'

/** The result of an attempt. Senders never throw; errors are part of the result. */
export type SendOutcome =
  | { state: 'delivered'; detail: string }
  /** This machine cannot deliver it, which is not a fault. */
  | { state: 'skipped'; detail: string }
  /**
   * Retried if the error is retryable, not before `retryAfterMs`. `isUncertain`: the service may
   * have accepted it, because only the answer is missing.
   */
  | { state: 'failed'; error: StewardError; retryAfterMs?: number; isUncertain?: true }

export const delivered = (detail: string): SendOutcome => ({ state: 'delivered', detail })

export const failed = (error: StewardError, retryAfterMs?: number): SendOutcome => ({
  state: 'failed',
  error,
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
})
