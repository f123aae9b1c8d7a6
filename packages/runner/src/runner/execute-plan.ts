import type { JsonObject, Spend, StewardError } from '@steward/contract'
import {
  type ActionResult,
  createPipelineRun,
  type PipelineEnd,
  PipelineFailure,
  recordError,
  type StepWork,
} from '@steward/engine'
import type { RunnerPorts } from './ports.ts'
import type { OnProgress, Progress } from './progress.ts'
import {
  createRunHost,
  ON_DISK,
  type PlanStart,
  type RunHost,
  type StepSummary,
} from './run-host.ts'
import type { RunPlan } from './run-plan.ts'
import type { SpendLedger } from './spend-ledger.ts'

export interface PlanOutcome {
  runId: string
  name: string
  durationMs: number
  steps: StepSummary[]
  spend: Spend
  /** `filtered` is the condition that was not met; the output is that of the steps before it. */
  result: { output: JsonObject; filtered?: string } | { error: StewardError; stage: string }
}

/** Runs a pipeline, or one action, whose run the history has as started, or is about to. */
export const executePlan = async (
  chain: RunPlan,
  given: PlanStart,
  ports: RunnerPorts,
  ledger: SpendLedger,
): Promise<PlanOutcome> => {
  const { runId, begun = ON_DISK } = given
  const { stored } = begun
  // Awaited before any external effect; until then a failure must not count as unhandled.
  stored.catch(() => undefined)
  const onProgress = reportAfter(stored, given.onProgress)
  const start = { ...given, ...(onProgress === undefined ? {} : { onProgress }) }
  const { now } = ports
  const { name, program } = chain
  const startedAt = now()
  const host = createRunHost(chain, start, ports, ledger)

  const end = (result: PlanOutcome['result']): PlanOutcome => {
    const durationMs = Math.max(0, now() - startedAt)
    const spend = host.spend()
    onProgress?.({ kind: 'run-ended', runId, name, status: statusOf(result), durationMs, spend })
    return { runId, name, durationMs, steps: host.steps(), spend, result }
  }

  onProgress?.({ kind: 'run-started', runId, name, steps: program.steps.length })
  for (const message of chain.warnings) onProgress?.({ kind: 'note', runId, message })
  try {
    const result = await runSteps(program, start.input, host)
    const filtered = result.filtered === undefined ? {} : { filtered: result.filtered }
    await host.finish({ status: 'completed', endedAt: now(), ...filtered })
    return end(result)
  } catch (thrown) {
    if (!(thrown instanceof PipelineFailure)) {
      await host.settled()
      throw thrown
    }
    await host.finish({ status: 'failed', endedAt: now(), error: recordError(thrown) })
    return end({ error: thrown, stage: thrown.stage })
  }
}

/** How work ended; it is only stopped from outside. */
type Done = { work: StepWork } & ({ result: ActionResult | undefined } | { reason: unknown })

/**
 * Asks the engine what comes next, records and performs it, and tells it the result. After a stop
 * no further work starts, and what is running ends.
 */
const runSteps = async (
  program: RunPlan['program'],
  input: JsonObject,
  { recorded, record, perform }: RunHost,
): Promise<PipelineEnd> => {
  const run = createPipelineRun(program, input, recorded)
  const performing = new Map<StepWork, Promise<Done>>()
  const begin = (work: StepWork): void => {
    const done = perform(work).then(
      (result) => ({ work, result }),
      (reason: unknown) => ({ work, reason }),
    )
    performing.set(work, done)
  }
  let stop: { reason: unknown } | undefined
  for (let next = run.start(); ; ) {
    for (const each of next.records) record(each)
    if (next.end !== undefined) {
      if ('thrown' in next.end) throw next.end.thrown
      return next.end
    }
    if (stop === undefined) next.work.forEach(begin)
    else if (performing.size === 0) throw stop.reason
    const done = await Promise.race(performing.values())
    performing.delete(done.work)
    if ('result' in done) next = run.next(done.work, done.result)
    else {
      stop ??= done
      next = { records: [], work: [] }
    }
  }
}

const statusOf = (result: PlanOutcome['result']) => {
  if ('error' in result) return 'failed'
  return result.filtered === undefined ? 'completed' : 'filtered'
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
