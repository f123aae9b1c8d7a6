import {
  type JsonObject,
  type RunStatus,
  type Spend,
  type StepLog,
  StewardError,
} from '@steward/contract'
import {
  type ActionResult,
  createSubrequestBudget,
  NO_SPEND,
  PipelineFailure,
  type PipelineStepOutcome,
  type PipelineStepStart,
  recordError,
  type StepChange,
  type StepRecords,
  type StepWork,
  sortByPath,
  statusOf,
  sumSpend,
} from '@steward/engine'
import { startSystemTimer } from '@steward/platform'
import type { Advance, StepDone, StoredStep } from '../history/history.ts'
import type { RunnerPorts } from './ports.ts'
import type { OnProgress } from './progress.ts'
import { createRunJournal, type RunStart } from './run-journal.ts'
import type { RunPlan } from './run-plan.ts'
import type { SpendLedger } from './spend-ledger.ts'
import { hostedAction, performStep, type RunScope } from './step.ts'
import { createStepLog } from './step-log.ts'

export interface PlanStart {
  runId: string
  input: JsonObject
  /** By default it is on disk already. */
  begun?: RunStart
  /** Outputs of the steps that are already done, by index. */
  finished?: ReadonlyMap<number, JsonObject>
  /** The same for a pipeline with other steps than names, by path. */
  places?: ReadonlyMap<string, StoredStep>
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
  /** Its position, in pipelines with other steps than names. */
  path?: string
  status?: RunStatus
}

/** The start of a run that is continued. */
export const ON_DISK: RunStart = { stored: Promise.resolve(), write: () => undefined }

/** A step between its start and its end. */
interface OpenStep {
  startedAt: number
  attempts: number
  spend: Spend
  isolation: StepDone['isolation']
  logs: readonly StepLog[]
}

export interface RunHost {
  recorded: StepRecords
  record: (record: StepChange) => void
  /** Rejects if the run was stopped from outside. */
  perform: (work: StepWork) => Promise<ActionResult | undefined>
  /** Records the end of the run, and resolves when it is on disk. */
  finish: (end: NonNullable<Advance['finished']>) => Promise<void>
  /** Resolves when everything so far is on disk. */
  settled: () => Promise<unknown>
  steps: () => StepSummary[]
  spend: () => Spend
}

/**
 * Runs steps on this machine with a record of each. A step's end and the next one's start are one
 * change, written in order. Steps do not wait for the disk, so quick ones share a commit, but
 * external effects do: a capability is used, and the result returned, only when everything before
 * is on disk. A crash can therefore only lose computation without visible effects.
 */
export const createRunHost = (
  chain: RunPlan,
  start: PlanStart,
  ports: RunnerPorts,
  ledger: SpendLedger,
): RunHost => {
  const { runId, onProgress, flow, flowBudgetUsd, places } = start
  const { history, now, startTimer = startSystemTimer } = ports
  const { steps: program, isPlain } = chain.program
  const actionOf = (name: string) => chain.actions.find(({ manifest }) => manifest.name === name)
  const of = program.length
  const journal = createRunJournal(runId, history, start.begun ?? ON_DISK)
  const { advance } = journal
  const scope: Omit<RunScope, 'log' | 'position'> = {
    runId,
    pipeline: chain.primitive === 'pipeline' ? chain.name : undefined,
    subrequests: createSubrequestBudget(),
    reserve: (maxCost) => ledger.reserve({ runId, flow, flowBudgetUsd }, maxCost),
    stop: start.signal,
    onInspector: start.onInspector,
    settled: journal.settled,
  }
  const summaries: StepSummary[] = []
  let spend = NO_SPEND
  const open = new Map<string, OpenStep>()
  const indexes = new Map<string, number>()
  let nextIndex = of
  for (const [path, { index }] of places ?? []) {
    indexes.set(path, index)
    nextIndex = Math.max(nextIndex, index + 1)
  }
  const indexOf = (path: string): number => {
    if (/^\d+$/.test(path)) return Number(path) - 1
    const index = indexes.get(path) ?? nextIndex++
    indexes.set(path, index)
    return index
  }

  const recorded: RunHost['recorded'] = (path, name) => {
    const output = start.finished?.get(Number(path) - 1)
    if (output !== undefined) return { output }
    const stored = places?.get(path)
    if (stored === undefined || stored.action !== name) return undefined
    if (stored.state === 'open') return undefined
    if (stored.state === 'passed') return { passed: true }
    if (stored.state === 'filtered') return { passed: false }
    const found = history.recallStep(runId, stored.index)
    if (stored.state === 'handled') return found.error && { handled: found.error }
    return found.output && { output: found.output }
  }

  /** The first step of a plain run, or the one that continues it, is already on record. */
  let isOnRecord = isPlain
  const started = ({ path, name, input, isCarried }: PipelineStepStart): void => {
    const startedAt = now()
    open.set(path, { startedAt, attempts: 0, spend: NO_SPEND, isolation: null, logs: [] })
    if (!isOnRecord) {
      advance({
        next: {
          index: indexOf(path),
          ...(isPlain ? {} : { path }),
          action: name,
          startedAt,
          ...(isCarried ? {} : { input }),
        },
      })
    }
    isOnRecord = false
  }

  const performAction = async ({
    path,
    action: name,
    input,
    following,
  }: Extract<StepWork, { kind: 'action' }>): Promise<ActionResult> => {
    const action = actionOf(name)
    const index = indexOf(path)
    const step = Number.parseInt(path, 10)
    if (action === undefined) {
      const reason = `no ${name}`
      return { thrown: new StewardError('invalid_definition', { file: chain.name, reason }) }
    }
    const next = following === undefined ? undefined : actionOf(following)
    if (next !== undefined && next.command === undefined && start.onInspector === undefined) {
      ports.hosts.warm(hostedAction(next))
    }
    const place = isPlain ? {} : { path }
    onProgress?.({ kind: 'step-started', runId, step, of, action: name, ...place })
    const startedAt = now()
    const log = createStepLog(
      { now, onAdded: (message) => onProgress?.({ kind: 'note', runId, message }) },
      (logs) => history.recordLogs({ runId, step: index, logs }),
    )
    const here = { ...scope, log: log.add, position: step - 1 }
    const used = await performStep(action, index, input, here, ports)
    const logs = log.end()
    const durationMs = Math.max(0, now() - startedAt)
    if (used.spend.calls > 0) spend = sumSpend([spend, used.spend])
    const before = open.get(path)
    open.set(path, {
      startedAt: before?.startedAt ?? startedAt,
      attempts: (before?.attempts ?? 0) + 1,
      spend:
        before === undefined || before.spend.calls === 0
          ? used.spend
          : sumSpend([before.spend, used.spend]),
      isolation: used.isolation,
      logs: before === undefined || before.logs.length === 0 ? logs : [...before.logs, ...logs],
    })
    const ended = {
      kind: 'step-ended',
      runId,
      step,
      of,
      action: name,
      durationMs,
      ...place,
    } as const
    if ('output' in used.result) {
      onProgress?.(ended)
      return used.result
    }
    // Stopped from outside: the step stays started on disk, and a resume runs it again.
    if (start.signal?.aborted && logs.length > 0) {
      journal.alsoAwait(history.recordLogs({ runId, step: index, logs }))
    }
    start.signal?.throwIfAborted()
    const { code, message: error } = new PipelineFailure(name, used.result.thrown)
    onProgress?.(code === 'item_filtered' ? ended : { ...ended, error })
    return used.result
  }

  const noted = (path: string, message: string): void => {
    const at = now()
    const step = open.get(path)
    const log: StepLog = { at: new Date(at).toISOString(), level: 'warn', text: message }
    if (step !== undefined) open.set(path, { ...step, logs: [...step.logs, log] })
    onProgress?.({ kind: 'note', runId, message })
  }

  const wait = (ms: number): Promise<undefined> =>
    new Promise((resolve, reject) => {
      const onAbort = (): void => {
        cancel()
        reject(start.signal?.reason)
      }
      const cancel = startTimer(ms, () => {
        start.signal?.removeEventListener('abort', onAbort)
        resolve(undefined)
      })
      start.signal?.addEventListener('abort', onAbort, { once: true })
    })

  const ended = (path: string, name: string, outcome: PipelineStepOutcome): void => {
    const endedAt = now()
    const step = open.get(path)
    open.delete(path)
    const duration = Math.round(Math.max(0, endedAt - (step?.startedAt ?? endedAt)))
    const isAgain = 'isHandled' in outcome && outcome.output !== undefined
    if (!isAgain) {
      const place = isPlain ? {} : { path, status: statusOf(outcome) }
      summaries.push({ action: name, duration_ms: duration, ...place })
    }
    const logs = step?.logs ?? []
    advance({
      done: {
        index: indexOf(path),
        endedAt,
        outcome: toRecord(outcome),
        spend: step?.spend ?? NO_SPEND,
        isolation: step?.isolation ?? null,
        ...(logs.length === 0 ? {} : { logs }),
        retries: Math.max(0, (step?.attempts ?? 0) - 1),
      },
    })
  }

  return {
    recorded,
    record: (record) => {
      if ('started' in record) started(record.started)
      else if ('noted' in record) noted(record.path, record.noted)
      else ended(record.ended.path, record.ended.name, record.outcome)
    },
    perform: (work) => (work.kind === 'wait' ? wait(work.ms) : performAction(work)),
    finish: async (finished) => {
      advance({ finished })
      await journal.settled()
    },
    settled: journal.settled,
    steps: () => (isPlain ? summaries : sortByPath(summaries)),
    spend: () => spend,
  }
}

const toRecord = (outcome: PipelineStepOutcome): StepDone['outcome'] => {
  if (!('error' in outcome)) return outcome
  const { output } = outcome
  const error = recordError(outcome.error)
  if (!outcome.isHandled) return { error }
  return { error, isHandled: true, ...(output === undefined ? {} : { output }) }
}
