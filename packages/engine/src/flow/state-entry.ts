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
  lastDeliveredAt: hasDelivered(summary) ? summary.endedAt : (before?.lastDeliveredAt ?? null),
  consecutiveFailures: isFailedRun(summary) ? (before?.consecutiveFailures ?? 0) + 1 : 0,
  blocked: blockOf(before?.blocked ?? null, summary),
  runs: (before?.runs ?? 0) + 1,
})

/** Whether a run had errors and delivered nothing: it failed, or everything waits. */
export const isFailedRun = (summary: FlowRunSummary): boolean => {
  const { outcome, items } = summary
  return (
    outcome === 'failed' || (outcome === 'partial' && !hasDelivered(summary) && items.waiting > 0)
  )
}

const hasDelivered = ({ items }: FlowRunSummary): boolean =>
  items.delivered + (items.partlyDelivered ?? 0) > 0

/** A block keeps its start while its reason stays the same. */
const blockOf = (
  before: FlowStateEntry['blocked'],
  { blocked, endedAt }: FlowRunSummary,
): FlowStateEntry['blocked'] => {
  if (blocked === null) return null
  const { code, message: reason } = blocked
  if (before?.code === code && before.reason === reason) return before
  return { code, reason, since: endedAt }
}
