import {
  errorClassOf,
  isJsonObject,
  type JsonObject,
  LIMITS,
  StewardError,
  utf8Bytes,
} from '@steward/contract'
import type {
  ActionStep,
  CompiledStep,
  EachStep,
  ParallelStep,
  WhenStep,
} from './compile-pipeline.ts'
import {
  catching,
  elementsOf,
  type Failure,
  type Fork,
  type Steps,
  throwFirst,
  tooLarge,
} from './fan-out.ts'
import { fillFields } from './fill-fields.ts'
import { changedFields, withoutLent } from './merge-fields.ts'
import { failureOf, PipelineFailure, restoreFailure, waitBefore } from './pipeline-failure.ts'
import type { StepPath } from './step-path.ts'
import type {
  ActionResult,
  PipelineEnd,
  PipelineStepOutcome,
  PipelineStepStart,
  RecalledStep,
  StepChange,
  StepRecords,
} from './step-records.ts'

interface StepRun {
  path: StepPath
  carried: JsonObject
  /** Fields that expressions may use and actions do not receive. */
  outer: JsonObject
  isCarried: boolean
  following: string | undefined
}

/** The steps of a pipeline, one after the other; `record` is called for every start and end. */
export const walkSteps = (
  program: readonly CompiledStep[],
  input: JsonObject,
  recorded: StepRecords,
  record: (record: StepChange) => void,
): Steps => {
  let count = 0

  const start = (step: PipelineStepStart): void => {
    count++
    record({ started: step })
    if (count <= LIMITS.stepsPerRun) return
    const reason = `it has more than ${LIMITS.stepsPerRun} steps`
    throw new StewardError('invalid_input', { subject: 'the run', reason })
  }

  const end = (path: StepPath, name: string, outcome: PipelineStepOutcome): void =>
    record({ ended: { path, name }, outcome })

  function* runSteps(
    steps: readonly CompiledStep[],
    list: string,
    given: JsonObject,
    outer: JsonObject,
    isCarried = true,
  ): Steps {
    let carried = given
    let index = 0
    for (const step of steps) {
      const path = `${list}${++index}`
      const recalled = recorded(path, step.name)
      if (recalled !== undefined && 'output' in recalled) {
        carried = recalled.output
        continue
      }
      const next = steps[index]
      const run = {
        path,
        carried,
        outer,
        isCarried: isCarried || index > 1,
        following: next?.kind === 'action' ? next.name : undefined,
      }
      // Every generator between a step and its performer costs time at each step.
      const done = yield* step.kind === 'action'
        ? runAction(step, run, recalled)
        : runCompound(step, run, recalled !== undefined)
      if (done.filtered !== undefined) return done
      carried = done.output
    }
    return { output: carried }
  }

  function* runCompound(
    step: Exclude<CompiledStep, ActionStep>,
    run: StepRun,
    isRecorded: boolean,
  ): Steps {
    const { path, carried, isCarried } = run
    const { name } = step
    if (!isRecorded) start({ path, name, input: carried, isCarried })
    if (step.kind === 'when') return runWhen(step, run, isRecorded)
    try {
      const output = yield* step.kind === 'parallel' ? runBranches(step, run) : runEach(step, run)
      end(path, name, { output })
      return { output }
    } catch (thrown) {
      const error = failureOf(name, thrown)
      end(path, name, { error, isHandled: false })
      throw error
    }
  }

  /** Tries an action as often as its step allows. */
  function* runAction(step: ActionStep, run: StepRun, recalled: RecalledStep | undefined): Steps {
    const { path, carried, outer, isCarried, following } = run
    const { name } = step
    if (recalled !== undefined && 'passed' in recalled && !recalled.passed) {
      return { output: carried, filtered: name }
    }
    if (recalled !== undefined && 'handled' in recalled) {
      return yield* endFailed(step, run, restoreFailure(name, recalled.handled))
    }
    const lent = step.with && fillFields(step.with, { ...outer, ...carried })
    const isFilled = lent !== undefined && !(lent instanceof StewardError)
    const input = isFilled ? { ...carried, ...lent } : carried
    start({ path, name, input, isCarried: isCarried && !isFilled })
    for (let tried = 1; ; tried++) {
      const result =
        lent instanceof StewardError
          ? { thrown: lent }
          : yield { kind: 'action', path, action: name, input, following }
      if (result !== undefined && 'output' in result) {
        // The worker behind a binding may be the user's own and not pass fields through, so they
        // are merged here.
        const answer = { ...input, ...result.output }
        const output = isFilled ? withoutLent(carried, lent, answer) : answer
        end(path, name, { output })
        return { output }
      }
      const error = new PipelineFailure(name, result?.thrown)
      if (tried >= step.attempts || errorClassOf(error) !== 'retry-later') {
        if (error.code === 'item_filtered') end(path, name, { passed: false })
        else end(path, name, { error, isHandled: step.onError !== undefined })
        return yield* endFailed(step, run, error)
      }
      yield { kind: 'wait', path, ms: waitBefore(tried, step.delayMs, error) }
    }
  }

  /** After the last attempt: runs the steps for a failure, if there are any. */
  function* endFailed(
    { name, onError }: ActionStep,
    { path, carried, outer }: StepRun,
    error: PipelineFailure,
  ): Steps {
    if (error.code === 'item_filtered') {
      return { output: carried, filtered: `${name}: ${error.message}` }
    }
    if (onError === undefined) throw error
    const lent = { error: { action: name, code: error.code, message: error.message } }
    const given = { ...carried, ...lent }
    const handled = yield* runSteps(onError, `${path}.onError.`, given, outer, false)
    const output = withoutLent(carried, lent, handled.output)
    if (handled.filtered !== undefined) return { ...handled, output }
    end(path, name, { error, isHandled: true, output })
    return { output }
  }

  const runWhen = (
    { name, expression, condition }: WhenStep,
    { path, carried, outer }: StepRun,
    isRecorded: boolean,
  ): PipelineEnd => {
    try {
      const passed = condition.test({ ...outer, ...carried })
      if (!isRecorded) end(path, name, { passed })
      return passed ? { output: carried } : { output: carried, filtered: expression }
    } catch (thrown) {
      const error = failureOf(name, thrown)
      if (!isRecorded) end(path, name, { error, isHandled: false })
      throw error
    }
  }

  /** All branches run to their end, so that a resume repeats only what failed. */
  function* runBranches(
    { branches }: ParallelStep,
    { path, carried, outer }: StepRun,
  ): Generator<Fork, JsonObject, ActionResult | undefined> {
    const ends: (PipelineEnd | undefined)[] = new Array(branches.length)
    const failures: Failure[] = []
    const lists = branches.map((steps, at) => {
      const branch = runSteps(steps, `${path}.parallel[${at + 1}].`, carried, outer)
      return catching(at, failures, branch, (done) => {
        ends[at] = done
      })
    })
    yield { kind: 'fork', lists: lists.values(), lanes: lists.length }
    throwFirst(failures)
    const fields = { ...carried }
    for (const done of ends) {
      // A branch whose condition is not met adds nothing.
      if (done === undefined || done.filtered !== undefined) continue
      Object.assign(fields, changedFields(carried, done.output))
    }
    return fields
  }

  /** After a failure no further element starts; the failure of the first element is reported. */
  function* runEach(
    { list, steps, max, concurrency, name }: EachStep,
    { path, carried, outer }: StepRun,
  ): Generator<Fork, JsonObject, ActionResult | undefined> {
    const { elements, total } = elementsOf(list, max, { ...outer, ...carried })
    if (elements.length < total) {
      const noted = `${name}: the first ${elements.length} of ${total} elements (max)`
      record({ noted, path })
    }
    const around = { ...outer, ...carried }
    delete around[list]
    const results: (JsonObject | undefined)[] = new Array(elements.length)
    const failures: Failure[] = []
    let bytes = 0
    function* lists(): Generator<Steps, void> {
      for (const [at, element] of elements.entries()) {
        if (failures.length > 0) return
        const own = isJsonObject(element) ? element : { item: element }
        const scope = { ...around, item: element, index: at }
        const sub = runSteps(steps, `${path}.each[${at + 1}].`, own, scope, false)
        yield catching(at, failures, sub, (done) => {
          if (done.filtered !== undefined) return
          bytes += utf8Bytes(JSON.stringify(done.output), LIMITS.outputBytes)
          if (bytes > LIMITS.outputBytes) throw tooLarge(name, bytes)
          results[at] = done.output
        })
      }
    }
    yield { kind: 'fork', lists: lists(), lanes: Math.min(concurrency, elements.length) }
    throwFirst(failures)
    return { ...carried, [list]: results.filter((result) => result !== undefined) }
  }

  return runSteps(program, '', input, {})
}
