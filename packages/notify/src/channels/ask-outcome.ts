import type { StewardError } from '@steward/contract'

/** A service's answer to whether it already has a message. */
export type AskOutcome =
  | { state: 'found'; detail: string }
  | { state: 'missing' }
  /** The service cannot be queried, or will never know. */
  | { state: 'unaskable'; reason: string }
  /** Query again, not before `retryAfterMs`. */
  | { state: 'failed'; error: StewardError; retryAfterMs?: number }
