import type { FeedErrorClass } from '@steward/contract'

/** A failure of one tier to fetch the feed. */
export interface FeedFailure {
  class: FeedErrorClass
  message: string
  /** The delay that the server asked for. */
  retryAfterMs: number | null
  /** Another tier may get through where this one is blocked. */
  isBlocked: boolean
}

/** Carries a failure out of nested requests; it never leaves `fetchFeed`. */
export class FeedFailureError extends Error {
  override readonly name = 'FeedFailureError'
  readonly failure: FeedFailure

  constructor(failure: FeedFailure, cause?: unknown) {
    super(failure.message, cause === undefined ? undefined : { cause })
    this.failure = failure
  }
}

export const failureOf = (
  className: FeedErrorClass,
  message: string,
  rest: Partial<FeedFailure> = {},
): FeedFailure => ({ class: className, message, retryAfterMs: null, isBlocked: false, ...rest })
