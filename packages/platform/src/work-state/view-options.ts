import type { SubagentRun } from '@steward/contract'
import type { StaleThresholds } from './activity.ts'

/** What a view depends on besides the file. */
export interface ViewOptions {
  nowMs: number
  thresholds: StaleThresholds
  /** Subagents from the event logs. */
  agents?: readonly SubagentRun[]
}
