import type { Fields, Spend, StewardError } from '@steward/contract'
import { createSubrequestBudget, PipelineFailure, type RunStep, runPipeline } from '@steward/engine'
import { sumSpend } from '../history/spend.ts'
import type { Chain } from './chain.ts'
import type { RunnerPorts } from './ports.ts'
import type { OnProgress } from './progress.ts'
import { recordError } from './recorded-error.ts'
import { NO_SPEND } from './spend.ts'
import type { SpendLedger } from './spend-ledger.ts'
import { performStep, type RunScope } from './step.ts'

export interface ChainStart {
  runId: string
  /** The step to begin with; the ones before it are done. */
  index: number
  input: Fields
  /** The flow on whose behalf this runs, for its budget. */
  flow?: string
  flowBudgetUsd?: number
  onProgress?: OnProgress
  signal?: AbortSignal
}

export type StepSummary = {
  action: string
  duration_ms: number
}

export interface ChainOutcome {
  runId: string
  name: string
  durationMs: number
  steps: StepSummary[]
  spend: Spend
  result: { output: Fields } | { error: StewardError; stage: string }
}

/**
 * Runs a chain from a step that the history already has as begun. Each step's end and the next
 * one's beginning are one commit, so at every moment the disk says where the run is.
 */
export const executeChain = async (
  chain: Chain,
  start: ChainStart,
  ports: RunnerPorts,
  ledger: SpendLedger,
): Promise<ChainOutcome> => {
  const { runId, onProgress, flow, flowBudgetUsd } = start
  const { history, now } = ports
  const names = chain.actions.map(({ manifest }) => manifest.name)
  const of = names.length
  const startedAt = now()
  const scope: RunScope = {
    runId,
    pipeline: chain.primitive === 'pipeline' ? chain.name : undefined,
    subrequests: createSubrequestBudget(),
    reserve: (maxCost) => ledger.reserve({ runId, flow, flowBudgetUsd }, maxCost),
    log: (message) => onProgress?.({ kind: 'note', runId, message }),
    stop: start.signal,
  }
  const steps: StepSummary[] = []
  let spend = NO_SPEND

  const runStep: RunStep = async ({ index, action: name, input }) => {
    const action = chain.actions[index]
    if (action === undefined) return {}
    onProgress?.({ kind: 'step-started', runId, step: index + 1, of, action: name })
    const stepStartedAt = now()
    const { result, ...used } = await performStep(action, index, input, scope, ports)
    const endedAt = now()
    const durationMs = Math.max(0, endedAt - stepStartedAt)
    spend = sumSpend([spend, used.spend])
    steps.push({ action: name, duration_ms: Math.round(durationMs) })
    const done = { index, endedAt, ...used }
    const ended = {
      kind: 'step-ended',
      runId,
      step: index + 1,
      of,
      action: name,
      durationMs,
    } as const

    if ('thrown' in result) {
      // Stopped from outside: the step stays begun on disk, and a resume runs it again.
      start.signal?.throwIfAborted()
      const failure = new PipelineFailure(name, result.thrown)
      const error = recordError(failure)
      await history.advance({
        runId,
        done: { ...done, outcome: { error } },
        finished: { status: 'failed', endedAt, error },
      })
      onProgress?.({ ...ended, error: failure.message })
      throw failure
    }
    const following = names[index + 1]
    await history.advance({
      runId,
      done: { ...done, outcome: result },
      ...(following === undefined
        ? { finished: { status: 'completed', endedAt } }
        : { next: { index: index + 1, action: following, startedAt: endedAt } }),
    })
    onProgress?.(ended)
    return result.output
  }

  const end = (result: ChainOutcome['result']): ChainOutcome => {
    const durationMs = Math.max(0, now() - startedAt)
    const status = 'output' in result ? 'completed' : 'failed'
    onProgress?.({ kind: 'run-ended', runId, name: chain.name, status, durationMs, spend })
    return { runId, name: chain.name, durationMs, steps, spend, result }
  }

  onProgress?.({ kind: 'run-started', runId, name: chain.name, steps: of })
  for (const message of chain.warnings) onProgress?.({ kind: 'note', runId, message })
  try {
    return end({ output: await runPipeline({ actions: names }, start, runStep) })
  } catch (thrown) {
    if (thrown instanceof PipelineFailure) return end({ error: thrown, stage: thrown.stage })
    throw thrown
  }
}
