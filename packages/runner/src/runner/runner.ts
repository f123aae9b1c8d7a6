import {
  isErrorCode,
  type JsonObject,
  LIMITS,
  type RecordedError,
  type RunDetail,
  type RunRecord,
  StewardError,
  utf8Bytes,
} from '@steward/contract'
import { newRunId } from '../history/index.ts'
import { executePlan, type PlanOutcome, type PlanStart } from './execute-plan.ts'
import type { RunnerPorts } from './ports.ts'
import { currentPlan, type RunPlan, snapshotPlan } from './run-plan.ts'
import { createSpendLedger } from './spend-ledger.ts'

export interface RunOptions
  extends Pick<PlanStart, 'flow' | 'flowBudgetUsd' | 'onProgress' | 'signal' | 'onInspector'> {
  /** A key never runs twice: the earlier run's outcome is returned. */
  idempotencyKey?: string
  /** With a key: a failed run continues at its failed step instead of returning its error. */
  continuesFailed?: boolean
  parentId?: string
}

export interface RerunOptions extends Pick<RunOptions, 'onProgress' | 'signal'> {
  /** `current` uses the pipeline as it is now, `original` as it was when the run was started. */
  definition: 'current' | 'original'
}

export interface Runner {
  run: (name: string, input: JsonObject, options?: RunOptions) => Promise<PlanOutcome>
  /** Continues an interrupted run, or retries the step in which a failed or cancelled one ended. */
  resume: (runId: string, options?: RunOptions) => Promise<PlanOutcome>
  /** A new run that inherits the results before step `from` (counted from 0) and runs the rest. */
  rerun: (runId: string, from: number, options: RerunOptions) => Promise<PlanOutcome>
}

export const createRunner = (ports: RunnerPorts): Runner => {
  const { catalog, history, now } = ports
  const ledger = createSpendLedger(ports)

  const run: Runner['run'] = async (name, input, options = {}) => {
    checkInputSize(name, input)
    const chain = await currentPlan(catalog, name)
    const runId = newRunId(now())
    const stored = history.begin({
      id: runId,
      primitive: chain.primitive,
      name,
      definition: chain.definition,
      input,
      startedAt: now(),
      firstStep: { index: 0, action: actionAt(chain, 0), startedAt: now() },
      ...(options.parentId === undefined ? {} : { parentId: options.parentId }),
      ...(options.idempotencyKey === undefined ? {} : { idempotencyKey: options.idempotencyKey }),
    })
    if (options.idempotencyKey !== undefined) {
      const begun = await stored
      if (!begun.created) return settleExisting(begun.run, options)
    }
    return executePlan(chain, { ...options, runId, index: 0, input, stored }, ports, ledger)
  }

  const settleExisting = (record: RunRecord, options: RunOptions): Promise<PlanOutcome> => {
    if (record.status === 'interrupted') return resume(record.id, options)
    if (record.status === 'running') throw activeError(record)
    if (options.continuesFailed) {
      if (record.status !== 'completed') return resume(record.id, options)
      if (history.resumable(record.id)?.redacted) throw unresumable(record.id, HAD_SECRET)
    }
    return Promise.resolve(storedOutcome(detailOf(record.id)))
  }

  const resume: Runner['resume'] = async (runId, options = {}) => {
    const stored = history.resumable(runId)
    if (stored === undefined) throw missingRun(runId)
    const { record, pending } = stored
    if (record.primitive === 'flow')
      throw unresumable(runId, 'it belongs to a flow; resume it as a flow')
    if (record.status === 'completed') return storedOutcome(detailOf(runId))
    if (record.status === 'running') throw activeError(record)
    if (pending === undefined) throw unresumable(runId, 'it has no step to continue with')
    if (stored.redacted) throw unresumable(runId, HAD_SECRET)
    const chain = await snapshotPlan(catalog, record, stored.definition)
    const claimed = await history.claim(
      runId,
      ...(record.status === 'interrupted' ? [] : [{ failed: true } as const]),
    )
    if (!claimed) throw activeError(record)
    const { index, input } = pending
    return executePlan(chain, { ...options, runId, index, input }, ports, ledger)
  }

  const rerun: Runner['rerun'] = async (runId, from, options) => {
    const stored = history.resumable(runId)
    if (stored === undefined) throw missingRun(runId)
    const { record } = stored
    if (record.primitive === 'flow')
      throw unresumable(runId, 'start a flow again with steward trigger')
    if (record.status === 'running') throw activeError(record)
    if (stored.redacted) throw unresumable(runId, HAD_SECRET)
    const chain =
      options.definition === 'original'
        ? await snapshotPlan(catalog, record, stored.definition)
        : await currentPlan(catalog, record.name)
    const inherited = stored.finished.filter(({ index }) => index < from)
    if (from >= chain.actions.length || inherited.length < from) {
      const reached = Math.min(stored.finished.length + 1, chain.actions.length)
      throw unresumable(runId, `it can be rerun from steps 1 to ${reached}, not ${from + 1}`)
    }
    const input = inherited.at(-1)?.output ?? stored.input
    const newId = newRunId(now())
    await history.begin({
      id: newId,
      primitive: chain.primitive,
      name: chain.name,
      definition: chain.definition,
      input: stored.input,
      startedAt: now(),
      rerunOf: { id: runId, fromStep: from },
      inherited,
      firstStep: { index: from, action: actionAt(chain, from), startedAt: now() },
    })
    return executePlan(chain, { ...options, runId: newId, index: from, input }, ports, ledger)
  }

  const detailOf = (runId: string): RunDetail => {
    const detail = history.getStored(runId)
    if (detail === undefined) throw missingRun(runId)
    return detail
  }

  return { run, resume, rerun }
}

const actionAt = ({ actions, name }: RunPlan, index: number): string => {
  const action = actions[index]
  if (action !== undefined) return action.manifest.name
  throw new StewardError('invalid_definition', {
    file: name,
    reason: `there is no step ${index + 1}`,
  })
}

const checkInputSize = (subject: string, input: JsonObject): void => {
  const bytes = utf8Bytes(JSON.stringify(input), LIMITS.inputBytes)
  if (bytes <= LIMITS.inputBytes) return
  throw new StewardError('payload_too_large', {
    subject: `the input of ${subject}`,
    bytes,
    limit: LIMITS.inputBytes,
  })
}

const missingRun = (name: string) => new StewardError('not_found', { what: 'run', name })

const HAD_SECRET = 'a required value contained a secret, and secrets are not stored'

const unresumable = (run: string, reason: string) =>
  new StewardError('run_not_resumable', { run, reason })

const activeError = ({ id, name }: RunRecord) =>
  new StewardError('run_active', { subject: `run ${id}`, reason: `${name} was started there` })

/** The outcome of a finished run from its record, as if it had just been run. */
const storedOutcome = (run: RunDetail): PlanOutcome => ({
  runId: run.id,
  name: run.name,
  durationMs: run.durationMs ?? 0,
  steps: run.steps.map(({ action, durationMs }) => ({
    action,
    duration_ms: Math.round(durationMs ?? 0),
  })),
  spend: run.spend,
  result:
    run.error === null
      ? { output: run.output ?? {} }
      : { error: restoreError(run.error), stage: run.steps.at(-1)?.action ?? run.name },
})

/** The stored message is complete; the details it was made from are not kept. */
const restoreError = ({ code, message, field }: RecordedError): StewardError =>
  StewardError.restore(
    isErrorCode(code) ? code : 'internal',
    message,
    field === undefined ? {} : { field },
  )
