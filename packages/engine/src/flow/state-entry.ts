import type { FlowEntry, FlowRunSummary, FlowState } from '@steward/contract'

export type FlowStateEntry = FlowState['flows'][string]

/** The state of a flow after a run, given its previous state. */
export const stateAfterRun = (
  before: FlowStateEntry | undefined,
  flow: Pick<FlowEntry, 'id' | 'name' | 'schedule'>,
  summary: FlowRunSummary,
): FlowStateEntry => ({
  id: flow.id,
  name: flow.name,
  enabled: flow.schedule.enabled,
  lastRun: summary,
  lastDeliveredAt:
    summary.items.delivered > 0 ? summary.endedAt : (before?.lastDeliveredAt ?? null),
  consecutiveFailures: summary.outcome === 'failed' ? (before?.consecutiveFailures ?? 0) + 1 : 0,
  runs: (before?.runs ?? 0) + 1,
})
