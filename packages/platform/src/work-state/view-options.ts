import type { SubagentRun } from '@steward/contract'
import type { StaleThresholds } from './activity.ts'

/** What a view depends on beside the file. */
export interface ViewOptions {
  nowMs: number
  thresholds: StaleThresholds
  /** Subagents as the event logs know them. */
  agents?: readonly SubagentRun[]
}
