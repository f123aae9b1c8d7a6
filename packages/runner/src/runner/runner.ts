import {
  isErrorCode,
  type JsonObject,
  LIMITS,
  type RecordedError,
  type RunDetail,
  type RunRecord,
  type StepRecord,
  StewardError,
  utf8Bytes,
} from '@steward/contract'
import { dependsOn, isStepPath, readyInput, sortByPath, sourceOf } from '@steward/engine'
import type {
  FinishedStep,
  NewRun,
  ResumableRun,
  StepStart,
  StoredStep,
} from '../history/history.ts'
import { newRunId } from '../history/index.ts'
import { executePlan, type PlanOutcome } from './execute-plan.ts'
import type { RunnerPorts } from './ports.ts'
import { ON_DISK, type PlanStart } from './run-host.ts'
import { holdStart } from './run-journal.ts'
import { currentPlan, type RunPlan, snapshotPlan } from './run-plan.ts'
import { createSpendLedger } from './spend-ledger.ts'

export interface RunOptions
  extends Pick<PlanStart, 'flow' | 'flowBudgetUsd' | 'onProgress' | 'signal' | 'onInspector'> {
  /** A key never runs twice: the earlier run's outcome is returned. */
  idempotencyKey?: string
  /** With a key: a failed run continues at its failed step instead of returning its error. */
  continuesFailed?: boolean
  parentId?: string
  /** The caller learns nothing of the run before it ends, so a quick one may take a single commit. */
  isUnseen?: boolean
}

export interface RerunOptions extends Pick<RunOptions, 'onProgress' | 'signal'> {
  /** `current` uses the pipeline as it is now, `original` as it was when the run was started. */
  definition: 'current' | 'original'
}

export interface Runner {
  run: (name: string, input: JsonObject, options?: RunOptions) => Promise<PlanOutcome>
  /** Continues an interrupted run, or retries the step in which a failed or cancelled one ended. */
  resume: (runId: string, options?: RunOptions) => Promise<PlanOutcome>
  /**
   * A new run that inherits the results before step `from` and runs the rest. `from` is a path such
   * as `3` or `6.each[18].1`, counted from 1.
   */
  rerun: (runId: string, from: string, options: RerunOptions) => Promise<PlanOutcome>
}

export const createRunner = (ports: RunnerPorts): Runner => {
  const { catalog, history, now, definitionsFreshMs = 0 } = ports
  const ledger = createSpendLedger(ports)
  const fresh = new Map<string, { plan: RunPlan; until: number }>()

  /** The plan according to the current files, which are looked at once for many quick runs. */
  const planOf = async (name: string): Promise<RunPlan> => {
    const plan = await currentPlan(catalog, name)
    if (definitionsFreshMs > 0) {
      fresh.set(name, { plan, until: performance.now() + definitionsFreshMs })
    }
    return plan
  }

  const freshPlan = (name: string): RunPlan | undefined => {
    const known = fresh.get(name)
    return known !== undefined && performance.now() < known.until ? known.plan : undefined
  }

  const run: Runner['run'] = async (name, given, options = {}) => {
    checkInputSize(name, given)
    const chain = freshPlan(name) ?? (await planOf(name))
    const input = readyInput({ name, input: chain.program.input }, given)
    const runId = newRunId(now())
    const begin = () =>
      history.begin({
        id: runId,
        primitive: chain.primitive,
        name,
        definition: chain.definition,
        input,
        startedAt: now(),
        firstStep: firstStep(chain, 0, now()),
        ...(options.parentId === undefined ? {} : { parentId: options.parentId }),
        ...(options.idempotencyKey === undefined ? {} : { idempotencyKey: options.idempotencyKey }),
      })
    if (options.idempotencyKey === undefined && options.isUnseen) {
      const begun = holdStart(begin)
      return executePlan(chain, { ...options, runId, input, begun }, ports, ledger)
    }
    const stored = begin()
    if (options.idempotencyKey !== undefined) {
      const found = await stored
      if (!found.created) return settleExisting(found.run, options)
    }
    const begun = { ...ON_DISK, stored }
    return executePlan(chain, { ...options, runId, input, begun }, ports, ledger)
  }

  const settleExisting = (record: RunRecord, options: RunOptions): Promise<PlanOutcome> => {
    if (record.status === 'interrupted') return resume(record.id, options)
    if (record.status === 'running') throw activeError(record)
    if (options.continuesFailed) {
      if (!isComplete(record)) return resume(record.id, options)
      if (history.resumable(record.id)?.redacted) throw unresumable(record.id, HAD_SECRET)
    }
    return Promise.resolve(storedOutcome(detailOf(record.id)))
  }

  const resume: Runner['resume'] = async (runId, options = {}) => {
    const stored = history.resumable(runId)
    if (stored === undefined) throw missingRun(runId)
    const { record, pending, places, input } = stored
    if (record.primitive === 'flow')
      throw unresumable(runId, 'it belongs to a flow; resume it as a flow')
    if (isComplete(record)) return storedOutcome(detailOf(runId))
    if (record.status === 'running') throw activeError(record)
    if (pending === undefined && places === undefined) {
      throw unresumable(runId, 'it has no step to continue with')
    }
    if (stored.redacted) throw unresumable(runId, HAD_SECRET)
    const chain = await snapshotPlan(catalog, record, stored.definition)
    const claimed = await history.claim(
      runId,
      ...(record.status === 'interrupted' ? [] : [{ failed: true } as const]),
    )
    if (!claimed) throw activeError(record)
    const done = places === undefined ? { finished: outputsOf(stored.finished) } : { places }
    return executePlan(chain, { ...options, runId, input, ...done }, ports, ledger)
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
    const first = Number.parseInt(from, 10) - 1
    const newId = newRunId(now())
    const begin = (more: Pick<NewRun, 'input' | 'inherited' | 'copied'>) =>
      history.begin({
        id: newId,
        primitive: chain.primitive,
        name: chain.name,
        definition: chain.definition,
        startedAt: now(),
        rerunOf: { id: runId, fromStep: first },
        firstStep: firstStep(chain, first, now()),
        ...more,
      })
    const input = readyInput({ name: record.name, input: chain.program.input }, stored.input)
    if (!chain.program.isPlain) {
      const places = inheritedPlaces(stored, from, chain)
      await begin({ input, copied: [...places.values()].map(({ index }) => index) })
      return executePlan(chain, { ...options, runId: newId, input, places }, ports, ledger)
    }
    const inherited = stored.finished.filter(({ index }) => index < first)
    if (!/^\d+$/.test(from) || first >= chain.actions.length || inherited.length < first) {
      const reached = Math.min(stored.finished.length + 1, chain.actions.length)
      throw unresumable(runId, `it can be rerun from steps 1 to ${reached}, not ${from}`)
    }
    await begin({ input, inherited })
    const finished = outputsOf(inherited)
    return executePlan(chain, { ...options, runId: newId, input, finished }, ports, ledger)
  }

  const detailOf = (runId: string): RunDetail => {
    const detail = history.getStored(runId)
    if (detail === undefined) throw missingRun(runId)
    return detail
  }

  return { run, resume, rerun }
}

const firstStep = ({ program, name }: RunPlan, index: number, startedAt: number): StepStart => {
  const step = program.steps[index]
  if (step !== undefined) {
    const place = program.isPlain ? {} : { path: String(index + 1) }
    return { index, action: step.name, startedAt, ...place }
  }
  throw new StewardError('invalid_definition', {
    file: name,
    reason: `there is no step ${index + 1}`,
  })
}

/** The steps that a rerun takes over; a step that the definition no longer has is not found again. */
const inheritedPlaces = (
  { record, places, finished }: ResumableRun,
  from: string,
  { program }: RunPlan,
): ReadonlyMap<string, StoredStep> => {
  // A step runs again together with its onError steps.
  const path = from.replace(/\.onError\..*$/, '')
  const known = places ?? plainPlaces(finished)
  const isKnown = path === '1' || known.has(path) || isNext(path, known)
  if (!isStepPath(path) || Number.parseInt(path, 10) > program.steps.length || !isKnown) {
    const reached = sortByPath([...known.keys()].map((place) => ({ path: place })))
    const shown = reached
      .slice(-SHOWN_PLACES)
      .map((each) => each.path)
      .join(', ')
    throw unresumable(record.id, `it never reached step ${from}; its last steps are ${shown}`)
  }
  return new Map(
    [...known].filter(([place, { state }]) => state !== 'open' && !dependsOn(place, path)),
  )
}

const SHOWN_PLACES = 5

/** A run of a plain list, whose pipeline has other steps now. */
const plainPlaces = (finished: readonly FinishedStep[]): Map<string, StoredStep> =>
  new Map(
    finished.map(({ index, action }) => [
      String(index + 1),
      { index, action, state: 'completed' as const },
    ]),
  )

/** Whether the step before it ended. */
const isNext = (path: string, known: ReadonlyMap<string, StoredStep>): boolean => {
  const source = sourceOf(path)
  const before = source === undefined ? undefined : known.get(source)
  return before !== undefined && before.state !== 'open'
}

const outputsOf = (finished: readonly FinishedStep[]): ReadonlyMap<number, JsonObject> =>
  new Map(finished.map(({ index, output }) => [index, output]))

const isComplete = ({ status }: RunRecord): boolean =>
  status === 'completed' || status === 'filtered'

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
  steps: run.steps.map(({ action, durationMs, path, status }) => ({
    action,
    duration_ms: Math.round(durationMs ?? 0),
    ...(path === undefined ? {} : { path, status }),
  })),
  spend: run.spend,
  result:
    run.error === null
      ? { output: run.output ?? {}, ...filteredBy(run) }
      : { error: restoreError(run.error), stage: stageOf(run) },
})

/** The step that failed; those around it in a pipeline with branches failed because of it. */
const stageOf = ({ steps, name }: RunDetail): string => {
  const failed = steps.find((step) => step.path !== undefined && isCause(step, steps))
  return (failed ?? steps.at(-1))?.action ?? name
}

const isCause = ({ path = '', status, handled }: StepRecord, steps: readonly StepRecord[]) =>
  status === 'failed' &&
  handled !== true &&
  !steps.some((other) => other.status === 'failed' && other.path?.startsWith(`${path}.`))

/** The condition that ended a run. */
const filteredBy = ({ status, steps }: RunDetail): { filtered?: string } => {
  if (status !== 'filtered') return {}
  const step = steps.findLast((each) => each.status === 'filtered' && /^\d+$/.test(each.path ?? ''))
  return { filtered: step?.action.replace(/^when /, '') ?? '' }
}

/** The stored message is complete; the details it was made from are not kept. */
const restoreError = ({ code, message, field }: RecordedError): StewardError =>
  StewardError.restore(
    isErrorCode(code) ? code : 'internal',
    message,
    field === undefined ? {} : { field },
  )
