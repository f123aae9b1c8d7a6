import type { FlowRunSummary, JsonObject, RecordedError } from '@steward/contract'
import { NO_SPEND } from '@steward/engine'
import type { LoadedFlow } from '../catalog/index.ts'
import { type EndPorts, endFlowRun } from './end-flow-run.ts'
import type { FlowOutcome, TriggerOptions } from './flow-runner.ts'

/** A flow run that the history has as started, whose source itself records what is done. */
export interface SourceRun {
  runId: string
  loaded: LoadedFlow
  options: Pick<TriggerOptions, 'onProgress' | 'signal' | 'onEnding'>
}

export interface SourceRunPorts extends EndPorts {
  now: () => number
}

/** Records the single step of such a run and its end in one commit, then the flow's state. */
export const endSourceRun = (
  run: SourceRun,
  summary: FlowRunSummary,
  outcome: { output: JsonObject } | { error: RecordedError },
  ports: SourceRunPorts,
): Promise<FlowOutcome> => {
  const done = {
    index: 0,
    endedAt: ports.now(),
    outcome,
    spend: NO_SPEND,
    isolation: null,
  }
  return endFlowRun(run, summary, done, ports)
}
