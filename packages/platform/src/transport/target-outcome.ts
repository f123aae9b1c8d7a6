import type { ObservabilityTarget, StewardError } from '@steward/contract'

/** The outcome of one push to one target. */
export interface TargetOutcome {
  /** The target's name in the settings. */
  target: string
  type: ObservabilityTarget['type']
  ok: boolean
  durationMs: number
  /** The status of the answer, if any. */
  status?: number
  /** Why it failed. Never contains a credential or the target's address. */
  error?: StewardError
  /** The target's Retry-After. */
  retryAfterMs?: number
  /** The number of oldest events that did not fit into one push. */
  leftOut?: number
}
