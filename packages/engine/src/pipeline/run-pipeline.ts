import {
  errorClassOf,
  isErrorCode,
  isJsonObject,
  type JsonObject,
  LIMITS,
  type PipelineDefinition,
  type RecordedError,
  StewardError,
  toStewardError,
  typeOf,
  utf8Bytes,
} from '@steward/contract'
import { checkFields } from '../action/check-fields.ts'
import type {
  ActionStep,
  CompiledStep,
  EachStep,
  ParallelStep,
  PipelineProgram,
  WhenStep,
} from './compile-pipeline.ts'
import { fillFields } from './fill-fields.ts'
import { changedFields, withoutLent } from './merge-fields.ts'
import type { StepPath } from './step-path.ts'

/** A step that is about to run. */
export interface PipelineStepStart {
  path: StepPath
  /** The action's name, or `when …`, `parallel`, `each …`. */
  name: string
  input: JsonObject
  /** Whether the input is the output of the step before, so that a record need not repeat it. */
  isCarried: boolean
}

/** How a step ended; `output` beside an error is that of its `onError` steps. */
export type PipelineStepOutcome =
  | { output: JsonObject }
  /** A condition, or an action that dropped the item: its output is its input. */
  | { passed: boolean }
  | { error: StewardError; isHandled: boolean; output?: JsonObject }

export const statusOf = (outcome: PipelineStepOutcome): 'completed' | 'filtered' | 'failed' => {
  if ('error' in outcome) return 'failed'
  return 'passed' in outcome && !outcome.passed ? 'filtered' : 'completed'
}

/** What an earlier attempt of a run recorded of a step. */
export type RecalledStep =
  | { output: JsonObject }
  | { passed: boolean }
  /** It failed, and its `onError` steps have not ended. */
  | { handled: RecordedError }

/** Where a pipeline runs: it performs the actions and keeps a record of every step. */
export interface PipelineHost {
  recall: (path: StepPath, name: string) => RecalledStep | undefined
  started: (step: PipelineStepStart) => void
  /** Performs an action once; `following` is the action after it, if that is known. */
  perform: (step: {
    path: StepPath
    action: string
    input: JsonObject
    following: string | undefined
  }) => Promise<JsonObject>
  ended: (step: { path: StepPath; name: string }, outcome: PipelineStepOutcome) => void
  /** Throws if the run was stopped from outside. */
  throwIfStopped: () => void
  wait: (ms: number) => Promise<void>
}

/** The end of a pipeline; `filtered` is the condition that was not met, or the action that said so. */
export type PipelineEnd = { output: JsonObject; filtered?: string }

/**
 * Runs the steps exactly once, first to last; each output is the next input. It never loops:
 * iteration belongs to the calling flow (spec 1 rule 4). Steps that the host recalls do not run
 * again.
 */
export const runPipeline = async (
  program: Pick<PipelineProgram, 'steps'>,
  input: JsonObject,
  host: PipelineHost,
): Promise<PipelineEnd> => createWalk(host).runSteps(program.steps, '', input, {})

/** The input of a pipeline with its defaults; throws if a required field is missing. */
export const readyInput = (
  { name, input: declared }: Pick<PipelineDefinition, 'name' | 'input'>,
  input: JsonObject,
): JsonObject => {
  if (declared === undefined) return input
  const { fields, mistakes } = checkFields(declared, input, 'input')
  const [first] = mistakes
  if (first === undefined) return fields
  throw new StewardError('invalid_input', {
    subject: name,
    reason: mistakes.map(({ reason }) => reason).join('; '),
    field: first.field,
  })
}

interface Walk {
  /** `outer` has fields that expressions may use and actions do not receive. */
  runSteps: (
    steps: readonly CompiledStep[],
    list: string,
    input: JsonObject,
    outer: JsonObject,
    isCarried?: boolean,
  ) => Promise<PipelineEnd>
}

interface StepRun {
  path: StepPath
  carried: JsonObject
  outer: JsonObject
  isCarried: boolean
  following: string | undefined
}

const createWalk = (host: PipelineHost): Walk => {
  let count = 0

  const start = (step: PipelineStepStart): void => {
    count++
    host.started(step)
    if (count <= LIMITS.stepsPerRun) return
    const reason = `it has more than ${LIMITS.stepsPerRun} steps`
    throw new StewardError('invalid_input', { subject: 'the run', reason })
  }

  const runSteps: Walk['runSteps'] = async (steps, list, input, outer, isCarried = true) => {
    let carried = input
    for (const [index, step] of steps.entries()) {
      const next = steps[index + 1]
      const run: StepRun = {
        path: `${list}${index + 1}`,
        carried,
        outer,
        isCarried: isCarried || index > 0,
        following: next?.kind === 'action' ? next.name : undefined,
      }
      const end = await runStep(step, run)
      if (end.filtered !== undefined) return end
      carried = end.output
    }
    return { output: carried }
  }

  const runStep = async (step: CompiledStep, run: StepRun): Promise<PipelineEnd> => {
    const recalled = host.recall(run.path, step.name)
    if (recalled !== undefined && 'output' in recalled) return recalled
    if (step.kind === 'action') return runAction(step, run, recalled)
    const { path, carried, isCarried } = run
    const { name } = step
    if (recalled === undefined) start({ path, name, input: carried, isCarried })
    if (step.kind === 'when') return runWhen(step, run, recalled !== undefined)
    try {
      const output = await (step.kind === 'parallel' ? runBranches(step, run) : runEach(step, run))
      host.ended({ path, name }, { output })
      return { output }
    } catch (thrown) {
      host.throwIfStopped()
      const error = failureOf(name, thrown)
      host.ended({ path, name }, { error, isHandled: false })
      throw error
    }
  }

  const runAction = async (
    step: ActionStep,
    run: StepRun,
    recalled: RecalledStep | undefined,
  ): Promise<PipelineEnd> => {
    const { path, carried } = run
    const { name } = step
    const known = recalled !== undefined && 'handled' in recalled ? recalled.handled : undefined
    if (recalled !== undefined && 'passed' in recalled && !recalled.passed) {
      return { output: carried, filtered: name }
    }
    const done =
      known === undefined ? await attempt(step, run) : { error: failureOf(name, restore(known)) }
    if ('output' in done) return done
    const { error } = done
    if (error.code === 'item_filtered') {
      return { output: carried, filtered: `${name}: ${error.message}` }
    }
    if (step.onError === undefined) throw error
    const lent = { error: { action: name, code: error.code, message: error.message } }
    const end = await runSteps(
      step.onError,
      `${path}.onError.`,
      { ...carried, ...lent },
      run.outer,
      false,
    )
    const output = withoutLent(carried, lent, end.output)
    if (end.filtered !== undefined) return { ...end, output }
    host.ended({ path, name }, { error, isHandled: true, output })
    return { output }
  }

  /** Tries an action as often as its step allows. */
  const attempt = async (
    step: ActionStep,
    { path, carried, outer, isCarried, following }: StepRun,
  ): Promise<{ output: JsonObject } | { error: PipelineFailure }> => {
    const { name } = step
    const lent = fillLent(step, { ...outer, ...carried })
    const isFilled = lent !== undefined && !(lent instanceof StewardError)
    const input = isFilled ? { ...carried, ...lent } : carried
    start({ path, name, input, isCarried: isCarried && !isFilled })
    for (let tried = 1; ; tried++) {
      try {
        if (lent instanceof StewardError) throw lent
        // The worker behind a binding may be the user's own and not pass fields through, so they
        // are merged here.
        const answer = {
          ...input,
          ...(await host.perform({ path, action: name, input, following })),
        }
        const output = lent === undefined ? answer : withoutLent(carried, lent, answer)
        host.ended({ path, name }, { output })
        return { output }
      } catch (thrown) {
        host.throwIfStopped()
        const error = new PipelineFailure(name, thrown)
        if (tried < step.attempts && errorClassOf(error) === 'retry-later') {
          await host.wait(waitBefore(tried, step.delayMs, error))
          continue
        }
        if (error.code === 'item_filtered') host.ended({ path, name }, { passed: false })
        else host.ended({ path, name }, { error, isHandled: step.onError !== undefined })
        return { error }
      }
    }
  }

  const runWhen = (
    { name, expression, condition }: WhenStep,
    { path, carried, outer }: StepRun,
    isRecorded: boolean,
  ): PipelineEnd => {
    try {
      const passed = condition.test({ ...outer, ...carried })
      if (!isRecorded) host.ended({ path, name }, { passed })
      return passed ? { output: carried } : { output: carried, filtered: expression }
    } catch (thrown) {
      const error = failureOf(name, thrown)
      if (!isRecorded) host.ended({ path, name }, { error, isHandled: false })
      throw error
    }
  }

  /** All branches run to their end, so that a resume repeats only what failed. */
  const runBranches = async (
    { branches }: ParallelStep,
    { path, carried, outer }: StepRun,
  ): Promise<JsonObject> => {
    const ends = await Promise.allSettled(
      branches.map((steps, at) => runSteps(steps, `${path}.parallel[${at + 1}].`, carried, outer)),
    )
    host.throwIfStopped()
    const failed = ends.find((end) => end.status === 'rejected')
    if (failed !== undefined) throw failed.reason
    const fields = { ...carried }
    for (const end of ends) {
      // A branch whose condition is not met adds nothing.
      if (end.status === 'rejected' || end.value.filtered !== undefined) continue
      Object.assign(fields, changedFields(carried, end.value.output))
    }
    return fields
  }

  /** After a failure no further element starts; the failure of the first element is reported. */
  const runEach = async (
    { list, steps, max, concurrency, name }: EachStep,
    { path, carried, outer }: StepRun,
  ): Promise<JsonObject> => {
    const elements = elementsOf(list, max, { ...outer, ...carried })
    const around = { ...outer, ...carried }
    delete around[list]
    const results: (JsonObject | undefined)[] = new Array(elements.length)
    const failures: { at: number; thrown: unknown }[] = []
    let bytes = 0
    const queue = elements.entries()
    const lane = async (): Promise<void> => {
      for (const [at, element] of queue) {
        if (failures.length > 0) return
        try {
          const own = isJsonObject(element) ? element : { item: element }
          const scope = { ...around, item: element, index: at }
          const end = await runSteps(steps, `${path}.each[${at + 1}].`, own, scope, false)
          if (end.filtered !== undefined) continue
          bytes += utf8Bytes(JSON.stringify(end.output), LIMITS.outputBytes)
          if (bytes > LIMITS.outputBytes) throw tooLarge(name, bytes)
          results[at] = end.output
        } catch (thrown) {
          failures.push({ at, thrown })
        }
      }
    }
    await Promise.all(Array.from({ length: Math.min(concurrency, elements.length) }, lane))
    host.throwIfStopped()
    const [first] = failures.toSorted((a, b) => a.at - b.at)
    if (first !== undefined) throw first.thrown
    return { ...carried, [list]: results.filter((result) => result !== undefined) }
  }

  return { runSteps }
}

const fillLent = (
  { name, with: values }: ActionStep,
  scope: JsonObject,
): JsonObject | StewardError | undefined => {
  if (values === undefined) return undefined
  try {
    return fillFields(values, scope)
  } catch (thrown) {
    return toStewardError(thrown, 'action_failed', { action: name })
  }
}

const elementsOf = (list: string, max: number | undefined, scope: JsonObject): unknown[] => {
  const value = Object.hasOwn(scope, list) ? scope[list] : undefined
  const wrong = (reason: string) =>
    new StewardError('invalid_input', { subject: `each: ${list}`, reason, field: list })
  if (value === undefined) throw wrong(`missing input "${list}" (array)`)
  if (!Array.isArray(value)) throw wrong(`must be an array, found ${typeOf(value)}`)
  const limit = max ?? LIMITS.fanOutElements
  if (max === undefined && value.length > limit) {
    throw wrong(`has ${value.length} elements, at most ${limit}; set max to use the first ones`)
  }
  return value.slice(0, limit)
}

const tooLarge = (name: string, bytes: number): StewardError =>
  new StewardError('payload_too_large', {
    subject: `the results of ${name}`,
    bytes,
    limit: LIMITS.outputBytes,
  })

const waitBefore = (tried: number, delayMs: number, { details }: StewardError): number => {
  const asked = Number(details.retryAfterSeconds ?? 0) * 1000
  return Math.min(LIMITS.stepRetryMs, Math.max(asked, delayMs * 2 ** (tried - 1)))
}

const failureOf = (stage: string, thrown: unknown): PipelineFailure =>
  thrown instanceof PipelineFailure ? thrown : new PipelineFailure(stage, thrown)

const restore = ({ code, message }: RecordedError): StewardError =>
  StewardError.restore(isErrorCode(code) ? code : 'internal', message, {})

/** The error of a failed pipeline: names the stage and keeps the code of the original error. */
export class PipelineFailure extends StewardError<'action_failed'> {
  readonly stage: string

  constructor(stage: string, thrown: unknown) {
    const error = toStewardError(thrown, 'action_failed', { action: stage })
    super('action_failed', { action: stage, reason: error.message }, thrown)
    const { code, message, details } = error
    Object.assign(this, { code, message, details })
    this.stage = stage
  }
}
