import { type FlowEntry, type FlowRunSummary, type FlowState, flowState } from '@steward/contract'
import { updateStateFile } from '@steward/memory'

/** Writes what the last run did into `flow-state.json`, which people and dashboards read. */
export const recordFlowState = async (
  file: string,
  flow: FlowEntry,
  summary: FlowRunSummary,
): Promise<void> => {
  const initial: FlowState = { version: 1, updatedAt: summary.endedAt, flows: {} }
  const written = await updateStateFile(file, flowState, initial, (state) => {
    const before = state.flows[flow.id]
    return {
      ...state,
      updatedAt: summary.endedAt,
      flows: {
        ...state.flows,
        [flow.id]: {
          id: flow.id,
          name: flow.name,
          enabled: flow.schedule.enabled,
          lastRun: summary,
          lastDeliveredAt:
            summary.items.delivered > 0 ? summary.endedAt : (before?.lastDeliveredAt ?? null),
          consecutiveFailures:
            summary.outcome === 'failed' ? (before?.consecutiveFailures ?? 0) + 1 : 0,
          runs: (before?.runs ?? 0) + 1,
        },
      },
    }
  })
  if (!written.ok) throw written.error
}
