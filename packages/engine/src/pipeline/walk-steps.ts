import { errorClassOf, isJsonObject, type JsonObject, LIMITS, utf8Bytes } from '@steward/contract'
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
import { changedFields, withoutLent } from './merge-fields.ts'
import { failureOf, PipelineFailure, restoreFailure, waitBefore } from './pipeline-failure.ts'
import {
  type Attempt,
  beginAttempt,
  end,
  endPassed,
  type StepRun,
  start,
  type Walk,
  workOf,
} from './step-attempt.ts'
import type { ActionResult, PipelineEnd, StepChange, StepRecords } from './step-records.ts'

/**
 * The steps of a pipeline, one after the other; `record` is called for every start and end. The
 * generator functions are outside of it, because making one takes longer than running a step.
 */
export const walkSteps = (
  program: readonly CompiledStep[],
  input: JsonObject,
  recorded: StepRecords,
  record: (record: StepChange) => void,
): Steps => runSteps({ recorded, record, count: 0 }, program, '', input, {})

function* runSteps(
  walk: Walk,
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
    const recalled = walk.recorded(path, step.name)
    if (recalled !== undefined && 'output' in recalled) {
      carried = recalled.output
      continue
    }
    const run = { path, carried, outer, isCarried: isCarried || index > 1 }
    let done: PipelineEnd
    if (step.kind !== 'action') {
      done = yield* runCompound(walk, step, run, recalled !== undefined)
    } else if (recalled !== undefined && 'handled' in recalled) {
      done = yield* endFailed(walk, step, run, restoreFailure(step.name, recalled.handled))
    } else if (recalled !== undefined && !recalled.passed) {
      return { output: carried, filtered: step.name }
    } else {
      const next = steps[index]
      const attempt = beginAttempt(walk, step, run, next?.kind === 'action' ? next.name : undefined)
      // The first attempt is made here: every generator between a step and its performer costs
      // time.
      const result = attempt.fault ?? (yield workOf(attempt))
      if (result !== undefined && 'output' in result) {
        carried = endPassed(walk, attempt, result.output)
        continue
      }
      done = yield* retryAction(walk, step, run, attempt, result)
    }
    if (done.filtered !== undefined) return done
    carried = done.output
  }
  return { output: carried }
}

function* runCompound(
  walk: Walk,
  step: Exclude<CompiledStep, ActionStep>,
  run: StepRun,
  isRecorded: boolean,
): Steps {
  const { path, carried, isCarried } = run
  const { name } = step
  if (!isRecorded) start(walk, { path, name, input: carried, isCarried })
  if (step.kind === 'when') return runWhen(walk, step, run, isRecorded)
  try {
    const output = yield* step.kind === 'parallel'
      ? runBranches(walk, step, run)
      : runEach(walk, step, run)
    end(walk, path, name, { output })
    return { output }
  } catch (thrown) {
    const error = failureOf(name, thrown)
    end(walk, path, name, { error, isHandled: false })
    throw error
  }
}

/** After a failed attempt: tries an action as often as its step allows. */
function* retryAction(
  walk: Walk,
  step: ActionStep,
  run: StepRun,
  attempt: Attempt,
  failed: { thrown: unknown } | undefined,
): Steps {
  const { path, name, fault } = attempt
  let last = failed
  for (let tried = 1; ; tried++) {
    const error = new PipelineFailure(name, last?.thrown)
    if (tried >= step.attempts || errorClassOf(error) !== 'retry-later') {
      if (error.code === 'item_filtered') end(walk, path, name, { passed: false })
      else end(walk, path, name, { error, isHandled: step.onError !== undefined })
      return yield* endFailed(walk, step, run, error)
    }
    yield { kind: 'wait', path, ms: waitBefore(tried, step.delayMs, error) }
    const result = fault ?? (yield workOf(attempt))
    if (result !== undefined && 'output' in result) {
      return { output: endPassed(walk, attempt, result.output) }
    }
    last = result
  }
}

/** After the last attempt: runs the steps for a failure, if there are any. */
function* endFailed(
  walk: Walk,
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
  const handled = yield* runSteps(walk, onError, `${path}.onError.`, given, outer, false)
  const output = withoutLent(carried, lent, handled.output)
  if (handled.filtered !== undefined) return { ...handled, output }
  end(walk, path, name, { error, isHandled: true, output })
  return { output }
}

const runWhen = (
  walk: Walk,
  { name, expression, condition }: WhenStep,
  { path, carried, outer }: StepRun,
  isRecorded: boolean,
): PipelineEnd => {
  try {
    const passed = condition.test({ ...outer, ...carried })
    if (!isRecorded) end(walk, path, name, { passed })
    return passed ? { output: carried } : { output: carried, filtered: expression }
  } catch (thrown) {
    const error = failureOf(name, thrown)
    if (!isRecorded) end(walk, path, name, { error, isHandled: false })
    throw error
  }
}

/** All branches run to their end, so that a resume repeats only what failed. */
function* runBranches(
  walk: Walk,
  { branches }: ParallelStep,
  { path, carried, outer }: StepRun,
): Generator<Fork, JsonObject, ActionResult | undefined> {
  const ends: (PipelineEnd | undefined)[] = new Array(branches.length)
  const failures: Failure[] = []
  const lists = branches.map((steps, at) => {
    const branch = runSteps(walk, steps, `${path}.parallel[${at + 1}].`, carried, outer)
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
  walk: Walk,
  { list, steps, max, concurrency, name }: EachStep,
  { path, carried, outer }: StepRun,
): Generator<Fork, JsonObject, ActionResult | undefined> {
  const { elements, total } = elementsOf(list, max, { ...outer, ...carried })
  if (elements.length < total) {
    const noted = `${name}: the first ${elements.length} of ${total} elements (max)`
    walk.record({ noted, path })
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
      const sub = runSteps(walk, steps, `${path}.each[${at + 1}].`, own, scope, false)
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
