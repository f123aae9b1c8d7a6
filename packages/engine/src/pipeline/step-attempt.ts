import { type JsonObject, LIMITS, StewardError } from '@steward/contract'
import type { ActionStep } from './compile-pipeline.ts'
import { fillFields } from './fill-fields.ts'
import { withoutLent } from './merge-fields.ts'
import type { StepPath } from './step-path.ts'
import type {
  PipelineStepOutcome,
  PipelineStepStart,
  StepChange,
  StepRecords,
  StepWork,
} from './step-records.ts'

/** One walk through the steps of a pipeline. */
export interface Walk {
  recorded: StepRecords
  record: (record: StepChange) => void
  /** Steps that have started. */
  count: number
}

/** A step's place and fields. */
export interface StepRun {
  path: StepPath
  carried: JsonObject
  /** Fields that expressions may use and actions do not receive. */
  outer: JsonObject
  isCarried: boolean
}

/** A step of an action that has started. */
export interface Attempt {
  path: StepPath
  name: string
  carried: JsonObject
  input: JsonObject
  /** The filled fields of `with`. */
  lent: JsonObject | undefined
  /** `with` could not be filled, so the action cannot be called. */
  fault: { thrown: StewardError } | undefined
  following: string | undefined
}

export const start = (walk: Walk, step: PipelineStepStart): void => {
  walk.count++
  walk.record({ started: step })
  if (walk.count <= LIMITS.stepsPerRun) return
  const reason = `it has more than ${LIMITS.stepsPerRun} steps`
  throw new StewardError('invalid_input', { subject: 'the run', reason })
}

export const end = (walk: Walk, path: StepPath, name: string, outcome: PipelineStepOutcome): void =>
  walk.record({ ended: { path, name }, outcome })

/** Starts an action's step and determines its input. */
export const beginAttempt = (
  walk: Walk,
  { name, with: values }: ActionStep,
  { path, carried, outer, isCarried }: StepRun,
  following: string | undefined,
): Attempt => {
  if (values === undefined) {
    start(walk, { path, name, input: carried, isCarried })
    return { path, name, carried, input: carried, lent: undefined, fault: undefined, following }
  }
  const filled = fillFields(values, { ...outer, ...carried })
  const [lent, fault] =
    filled instanceof StewardError ? [undefined, { thrown: filled }] : [filled, undefined]
  const input = lent === undefined ? carried : { ...carried, ...lent }
  start(walk, { path, name, input, isCarried: isCarried && lent === undefined })
  return { path, name, carried, input, lent, fault, following }
}

/** The call of the action; every attempt is a call of its own. */
export const workOf = ({ path, name, input, following }: Attempt): StepWork => ({
  kind: 'action',
  path,
  action: name,
  input,
  following,
})

/** Ends a step with the action's output and returns the fields for the next one. */
export const endPassed = (
  walk: Walk,
  { path, name, carried, input, lent }: Attempt,
  own: JsonObject,
): JsonObject => {
  // The worker behind a binding may be the user's own and not pass fields through, so they are
  // merged here.
  const answer = { ...input, ...own }
  const output = lent === undefined ? answer : withoutLent(carried, lent, answer)
  end(walk, path, name, { output })
  return output
}
