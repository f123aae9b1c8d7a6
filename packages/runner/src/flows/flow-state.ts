import { type FlowEntry, type FlowRunSummary, type FlowState, flowState } from '@steward/contract'
import { stateAfterRun } from '@steward/engine'
import { updateStateFile } from '@steward/platform'

/** Writes what the last run did into `flow-state.json`, which people and dashboards read. */
export const recordFlowState = async (
  file: string,
  flow: FlowEntry,
  summary: FlowRunSummary,
): Promise<void> => {
  const initial: FlowState = { version: 1, updatedAt: summary.endedAt, flows: {} }
  const written = await updateStateFile(file, flowState, initial, (state) => ({
    ...state,
    updatedAt: summary.endedAt,
    flows: { ...state.flows, [flow.id]: stateAfterRun(state.flows[flow.id], flow, summary) },
  }))
  if (!written.ok) throw written.error
}
