import {
  type FlowRunSummary,
  type JsonObject,
  type RunRecord,
  type RunStatus,
  type Spend,
  type StepRecord,
  StewardError,
  toStewardError,
} from '@steward/contract'
import {
  NO_SPEND,
  type PipelineStepStart,
  recordError,
  type StepChange,
  sortByPath,
  statusOf,
  sumSpend,
} from '@steward/engine'
import type { WorkerEnv } from '../env.ts'
import type { WorkerContext, WorkerPorts } from '../platform.ts'
import { writeLog } from '../write-log.ts'
import { newRun } from './new-run.ts'
import { openRunLedger } from './run-ledger.ts'

interface PipelineRun {
  name: string
  readVersion: () => Promise<string>
  runId: string
  input: JsonObject
  env: WorkerEnv
  ports: WorkerPorts
  context: WorkerContext
}

export interface RunRecorder {
  record: (change: StepChange, atMs: number) => void
  addSpend: (path: string, spend: Spend) => void
  /** Writes the record after the response. */
  end: (ending: { output?: JsonObject; filtered?: string } | StewardError, spend: Spend) => void
}

/** Records a run of a pipeline with its steps; undefined in a worker without the database. */
export const recordPipelineRun = (run: PipelineRun): RunRecorder | undefined => {
  const { name, runId, input, env, ports, context } = run
  const { now } = ports
  const ledger = openRunLedger(env, now)
  if (ledger === undefined) return undefined
  const startedMs = now()
  const reading = run.readVersion()
  reading.catch(() => undefined)
  const steps = new Map<string, StepRecord & { path: string }>()
  return {
    record: (change, atMs) => {
      if ('started' in change) {
        const { started: step } = change
        steps.set(step.path, { ...newStep(step, atMs), path: step.path })
      }
      if (!('ended' in change)) return
      const { ended, outcome } = change
      const record = steps.get(ended.path)
      if (record === undefined) return
      Object.assign(record, timesOf(Date.parse(record.startedAt), atMs), {
        status: statusOf(outcome),
        ...('output' in outcome && { output: outcome.output }),
        ...('error' in outcome && { error: recordError(outcome.error) }),
        ...('isHandled' in outcome && outcome.isHandled && { handled: true }),
      })
    },
    addSpend: (path, spend) => {
      const record = steps.get(path)
      if (record !== undefined) record.spend = sumSpend([record.spend, spend])
    },
    end: (ending, spend) => {
      const error = ending instanceof StewardError ? recordError(ending) : null
      const output = ending instanceof StewardError ? undefined : ending.output
      const isFiltered = !(ending instanceof StewardError) && ending.filtered !== undefined
      const status: RunStatus = error ? 'failed' : isFiltered ? 'filtered' : 'completed'
      const record = {
        ...newRun('pipeline', name, runId, startedMs),
        ...timesOf(startedMs, now()),
        status,
        stepCount: steps.size,
        spend,
        error,
      }
      const all = sortByPath([...steps.values()])
      const details = { input, ...(output && { output }), steps: all }
      const write = async (): Promise<void> => {
        try {
          const definition = { version: 'edge', hash: await reading }
          await ledger.record({ ...record, definition }, details)
        } catch (thrown) {
          writeLog(ports, env, { pipeline: name, run_id: runId, error: toStewardError(thrown) })
        }
      }
      context.waitUntil(write())
    },
  }
}

const newStep = ({ path, name, input }: PipelineStepStart, startedMs: number): StepRecord => ({
  step: Number.parseInt(path, 10),
  action: name,
  status: 'running',
  attempts: 1,
  input,
  startedAt: new Date(startedMs).toISOString(),
  endedAt: null,
  durationMs: null,
  spend: NO_SPEND,
  isolation: null,
  error: null,
})

const timesOf = (startedMs: number, endedMs: number) => ({
  endedAt: new Date(endedMs).toISOString(),
  durationMs: Math.max(0, endedMs - startedMs),
})

/**
 * Records a run of a flow. Runs that found nothing new are only in the flow's state, unless a caller
 * asked for them by a key: a flow that looks every five minutes would fill the database with them.
 */
export const recordFlowRun = async (
  name: string,
  summary: FlowRunSummary,
  { env, ports, isKeyed }: { env: WorkerEnv; ports: WorkerPorts; isKeyed?: boolean },
): Promise<void> => {
  const ledger = openRunLedger(env, ports.now)
  if (ledger === undefined || (summary.outcome === 'nothing-new' && !isKeyed)) return
  const { runId, startedAt, endedAt, durationMs, outcome, reason, items, errors, spend } = summary
  const failure = summary.blocked ?? errors.find(({ item }) => item === null) ?? errors[0]
  const status = outcome === 'failed' ? 'failed' : 'completed'
  const steps = errors.map(
    ({ item, ...error }, index): StepRecord => ({
      ...newStep({ path: String(index + 1), name: 'item', input: {}, isCarried: false }, 0),
      ...(item === null ? { action: 'source' } : { input: { item } }),
      status: 'failed',
      startedAt,
      endedAt,
      error,
    }),
  )
  const record: RunRecord = {
    ...newRun('flow', name, runId, Date.parse(startedAt)),
    status,
    endedAt,
    durationMs,
    stepCount: steps.length,
    spend,
    error: status === 'failed' && failure !== undefined ? withoutItem(failure) : null,
  }
  await ledger.record(record, { output: { outcome, reason, items }, steps })
}

const withoutItem = ({ code, message, retryable }: NonNullable<RunRecord['error']>) => ({
  code,
  message,
  retryable,
})
