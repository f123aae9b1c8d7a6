import type { ObservabilityTarget, StewardError } from '@steward/contract'

/** How one push to one target went. */
export interface TargetOutcome {
  /** The target's name in the settings. */
  target: string
  type: ObservabilityTarget['type']
  ok: boolean
  durationMs: number
  /** What the target answered with, when it answered. */
  status?: number
  /** Why it failed. Never holds a credential or the target's address. */
  error?: StewardError
  /** How long the target asked to be left alone. */
  retryAfterMs?: number
  /** Events that did not fit into one push: the oldest. */
  leftOut?: number
}
