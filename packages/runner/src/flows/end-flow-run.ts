import type { FlowRunSummary } from '@steward/contract'
import { isFailedRun } from '@steward/engine'
import type { LoadedFlow } from '../catalog/index.ts'
import type { OpenLedger } from '../history/flow-items.ts'
import type { Advance, RunHistory } from '../history/history.ts'
import type { FlowOutcome, TriggerOptions } from './flow-runner.ts'

export interface EndPorts {
  history: RunHistory
  ledger: OpenLedger
  recordState: (loaded: LoadedFlow, outcome: FlowOutcome) => Promise<void>
}

interface EndedRun {
  runId: string
  loaded: LoadedFlow
  options: Pick<TriggerOptions, 'onEnding'>
}

/**
 * Ends a flow's run, in the same commit as the end of its last step if there is one, then writes
 * the flow's state.
 */
export const endFlowRun = async (
  { runId, loaded, options }: EndedRun,
  summary: FlowRunSummary,
  done: Advance['done'],
  { history, ledger, recordState }: EndPorts,
): Promise<FlowOutcome> => {
  const [error] = summary.errors
  const hasFailed = isFailedRun(summary)
  const items = ledger(loaded.flow.id)
  const givenUp = await items.unreported()
  const outcome = { runId, flow: loaded.flow.name, summary, givenUp }
  await options.onEnding?.(outcome)
  const isNotified = options.onEnding !== undefined && givenUp.length > 0
  const reported = isNotified ? items.report(givenUp.map(({ id }) => id)) : undefined
  const ended = history.advance({
    runId,
    ...(done === undefined ? {} : { done }),
    finished: {
      status: hasFailed ? 'failed' : 'completed',
      endedAt: Date.parse(summary.endedAt),
      output: { outcome: summary.outcome, reason: summary.reason, items: summary.items },
      ...(hasFailed && error !== undefined ? { error } : {}),
    },
  })
  await Promise.all([reported, ended])
  await recordState(loaded, outcome)
  return outcome
}
