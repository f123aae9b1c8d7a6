import type { Fields, FlowRunSummary } from '@steward/contract'
import { NO_SPEND } from '@steward/engine'
import type { LoadedFlow } from '../catalog/index.ts'
import type { RunHistory } from '../history/history.ts'
import type { FlowOutcome, TriggerOptions } from './flow-runner.ts'

/** A flow run that the history has as begun, whose source keeps its own account of what is done. */
export interface SourceRun {
  runId: string
  loaded: LoadedFlow
  options: Pick<TriggerOptions, 'onProgress' | 'signal'>
}

export interface SourceRunPorts {
  history: RunHistory
  now: () => number
  recordState: (loaded: LoadedFlow, outcome: FlowOutcome) => Promise<void>
}

/** Records the one step of such a run and its end in one commit, then the flow's state. */
export const endSourceRun = async (
  { runId, loaded }: SourceRun,
  summary: FlowRunSummary,
  output: Fields,
  { history, now, recordState }: SourceRunPorts,
): Promise<FlowOutcome> => {
  const endedAt = now()
  const [error] = summary.errors
  const hasFailed = summary.outcome === 'failed'
  await history.advance({
    runId,
    done: { index: 0, endedAt, outcome: { output }, spend: NO_SPEND, isolation: null },
    finished: {
      status: hasFailed ? 'failed' : 'completed',
      endedAt,
      output: { outcome: summary.outcome, reason: summary.reason, items: summary.items },
      ...(hasFailed && error !== undefined ? { error } : {}),
    },
  })
  const outcome = { runId, flow: loaded.flow.name, summary }
  await recordState(loaded, outcome)
  return outcome
}
