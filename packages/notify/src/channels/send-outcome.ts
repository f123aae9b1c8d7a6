import type { StewardError } from '@steward/contract'

/** How an attempt went. Senders never throw: whatever happens is the outcome. */
export type SendOutcome =
  | { state: 'delivered'; detail: string }
  /** There is nowhere to deliver it to on this machine, and that is no fault. */
  | { state: 'skipped'; detail: string }
  /**
   * Tried again when the error is retryable, not before `retryAfterMs`. `isUncertain`: the service may
   * have taken it all the same, since it was sent and only the answer is missing.
   */
  | { state: 'failed'; error: StewardError; retryAfterMs?: number; isUncertain?: true }

export const delivered = (detail: string): SendOutcome => ({ state: 'delivered', detail })

export const failed = (error: StewardError, retryAfterMs?: number): SendOutcome => ({
  state: 'failed',
  error,
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
})
