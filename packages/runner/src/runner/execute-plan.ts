import type { JsonObject, Spend, StewardError } from '@steward/contract'
import {
  createSubrequestBudget,
  NO_SPEND,
  PipelineFailure,
  type RunStep,
  recordError,
  runPipeline,
  sumSpend,
} from '@steward/engine'
import { startSystemTimer } from '@steward/platform'
import type { Advance, StepDone } from '../history/history.ts'
import type { RunnerPorts } from './ports.ts'
import type { OnProgress, Progress } from './progress.ts'
import type { RunPlan } from './run-plan.ts'
import type { SpendLedger } from './spend-ledger.ts'
import { hostedAction, performStep, type RunScope } from './step.ts'
import { createStepLog } from './step-log.ts'

export interface PlanStart {
  runId: string
  /** The step to start with; earlier ones are done. */
  index: number
  input: JsonObject
  /** Settles when the start of the run is on disk; by default it is already. */
  stored?: Promise<unknown>
  /** The flow that this run belongs to, for its budget. */
  flow?: string
  flowBudgetUsd?: number
  onProgress?: OnProgress
  signal?: AbortSignal
  /** Lets a debugger attach to every action, without time limits; called with its address. */
  onInspector?: (address: string) => void
}

export type StepSummary = {
  action: string
  duration_ms: number
}

export interface PlanOutcome {
  runId: string
  name: string
  durationMs: number
  steps: StepSummary[]
  spend: Spend
  result: { output: JsonObject } | { error: StewardError; stage: string }
}

/** How long the end of a step waits for that of the next, to share a commit with it. */
const HOLD_MS = 5

/**
 * Runs a chain from a step that the history has as started, or is about to. Each step's end and the
 * next one's start are one change, written in order. Steps do not wait for the disk, so quick ones
 * share a commit, but external effects do: a capability is used, and the result returned, only when
 * everything before is on disk. A crash can therefore only lose computation that no one has seen.
 */
export const executePlan = async (
  chain: RunPlan,
  start: PlanStart,
  ports: RunnerPorts,
  ledger: SpendLedger,
): Promise<PlanOutcome> => {
  const { runId, flow, flowBudgetUsd, stored = Promise.resolve() } = start
  // Awaited before any external effect; until then a failure must not count as unhandled.
  stored.catch(() => undefined)
  const onProgress = reportAfter(stored, start.onProgress)
  const { history, now } = ports
  const names = chain.actions.map(({ manifest }) => manifest.name)
  const of = names.length
  const startedAt = now()
  const scope: Omit<RunScope, 'log'> = {
    runId,
    pipeline: chain.primitive === 'pipeline' ? chain.name : undefined,
    subrequests: createSubrequestBudget(),
    reserve: (maxCost) => ledger.reserve({ runId, flow, flowBudgetUsd }, maxCost),
    stop: start.signal,
    onInspector: start.onInspector,
    settled: () => {
      writeHeld()
      return onDisk
    },
  }
  const steps: StepSummary[] = []
  let spend = NO_SPEND
  let onDisk = stored
  const held: Array<Omit<Advance, 'runId'>> = []
  let cancelHold = (): void => undefined
  const writeHeld = (): void => {
    cancelHold()
    for (const change of held.splice(0)) {
      const written = Promise.all([onDisk, history.advance({ runId, ...change })])
      written.catch(() => undefined)
      onDisk = written
    }
  }
  const advance = (change: Omit<Advance, 'runId'>): void => {
    cancelHold()
    held.push(change)
    if (change.finished === undefined) cancelHold = startSystemTimer(HOLD_MS, writeHeld)
    else writeHeld()
  }

  const runStep: RunStep = async ({ index, action: name, input }) => {
    const action = chain.actions[index]
    if (action === undefined) return {}
    const following = chain.actions[index + 1]
    if (
      following !== undefined &&
      following.command === undefined &&
      start.onInspector === undefined
    ) {
      ports.hosts.warm(hostedAction(following))
    }
    onProgress?.({ kind: 'step-started', runId, step: index + 1, of, action: name })
    const stepStartedAt = now()
    const log = createStepLog(
      { now, onAdded: (message) => onProgress?.({ kind: 'note', runId, message }) },
      (logs) => history.recordLogs({ runId, step: index, logs }),
    )
    const used = await performStep(action, index, input, { ...scope, log: log.add }, ports)
    const logs = log.end()
    const { result, isolation } = used
    const endedAt = now()
    const durationMs = Math.max(0, endedAt - stepStartedAt)
    if (used.spend.calls > 0) spend = sumSpend([spend, used.spend])
    steps.push({ action: name, duration_ms: Math.round(durationMs) })
    const doneWith = (outcome: StepDone['outcome']): StepDone => ({
      index,
      endedAt,
      outcome,
      spend: used.spend,
      isolation,
      ...(logs.length === 0 ? {} : { logs }),
    })
    const ended = {
      kind: 'step-ended',
      runId,
      step: index + 1,
      of,
      action: name,
      durationMs,
    } as const

    if ('thrown' in result) {
      // Stopped from outside: the step stays started on disk, and a resume runs it again.
      if (start.signal?.aborted && logs.length > 0) {
        onDisk = Promise.all([onDisk, history.recordLogs({ runId, step: index, logs })])
      }
      start.signal?.throwIfAborted()
      const failure = new PipelineFailure(name, result.thrown)
      const error = recordError(failure)
      advance({
        done: doneWith({ error }),
        finished: { status: 'failed', endedAt, error },
      })
      onProgress?.({ ...ended, error: failure.message })
      throw failure
    }
    advance({
      done: doneWith(result),
      ...(following === undefined
        ? { finished: { status: 'completed', endedAt } }
        : { next: { index: index + 1, action: following.manifest.name, startedAt: endedAt } }),
    })
    onProgress?.(ended)
    return result.output
  }

  const end = async (result: PlanOutcome['result']): Promise<PlanOutcome> => {
    writeHeld()
    await onDisk
    const durationMs = Math.max(0, now() - startedAt)
    const status = 'output' in result ? 'completed' : 'failed'
    onProgress?.({ kind: 'run-ended', runId, name: chain.name, status, durationMs, spend })
    return { runId, name: chain.name, durationMs, steps, spend, result }
  }

  onProgress?.({ kind: 'run-started', runId, name: chain.name, steps: of })
  for (const message of chain.warnings) onProgress?.({ kind: 'note', runId, message })
  try {
    return await end({ output: await runPipeline({ actions: names }, start, runStep) })
  } catch (thrown) {
    if (thrown instanceof PipelineFailure) return end({ error: thrown, stage: thrown.stage })
    writeHeld()
    await onDisk
    throw thrown
  }
}

/** Others may look a run up as soon as they hear of it, so the first reports wait for its record. */
const reportAfter = (
  stored: Promise<unknown>,
  onProgress: OnProgress | undefined,
): OnProgress | undefined => {
  if (onProgress === undefined) return undefined
  let waiting: Progress[] | undefined = []
  const tell = (): void => {
    const reports = waiting ?? []
    waiting = undefined
    for (const report of reports) onProgress(report)
  }
  stored.then(tell, () => undefined)
  return (report) => (waiting === undefined ? onProgress(report) : void waiting.push(report))
}
