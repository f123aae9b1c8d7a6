import {
  type FlowEntry,
  type FlowRunSummary,
  type FlowState,
  flowState,
  unwrap,
} from '@steward/contract'
import { stateAfterRun } from '@steward/engine'
import { type Redactor, updateStateFile } from '@steward/platform'

/** Writes the last run's result into `flow-state.json`, which people and dashboards read. */
export const recordFlowState = async (
  file: string,
  flow: FlowEntry,
  summary: FlowRunSummary,
): Promise<void> => {
  const initial: FlowState = { version: 1, updatedAt: summary.endedAt, flows: {} }
  unwrap(
    await updateStateFile(
      file,
      flowState,
      initial,
      (state) => ({
        ...state,
        updatedAt: summary.endedAt,
        flows: { ...state.flows, [flow.id]: stateAfterRun(state.flows[flow.id], flow, summary) },
      }),
      // Its form, with a version of its own, is part of the execution layer.
      { isForeign: true },
    ),
  )
}

/** Masks text for people, because an error may quote a secret. */
export const maskSummary = (
  summary: FlowRunSummary,
  { redactText }: Pick<Redactor, 'redactText'>,
): FlowRunSummary => ({
  ...summary,
  reason: redactText(summary.reason).value,
  errors: summary.errors.map((error) => ({
    ...error,
    message: redactText(error.message).value,
    item: error.item === null ? null : redactText(error.item).value,
  })),
})
