import type { StewardError } from '@steward/contract'

/** What a service says when it is asked whether it has a message already. */
export type AskOutcome =
  | { state: 'found'; detail: string }
  | { state: 'missing' }
  /** There is nobody to ask, or one who will never say. */
  | { state: 'unaskable'; reason: string }
  /** Asked again, not before `retryAfterMs`. */
  | { state: 'failed'; error: StewardError; retryAfterMs?: number }
