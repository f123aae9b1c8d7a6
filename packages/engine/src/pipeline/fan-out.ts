import { type JsonObject, LIMITS, StewardError, typeOf } from '@steward/contract'
import type { ActionResult, PipelineEnd, StepWork } from './step-records.ts'

/** Lists of steps that run side by side, at most `lanes` at a time. */
export interface Fork {
  kind: 'fork'
  lists: Iterator<Steps, void>
  lanes: number
}

/** A list of steps that stops wherever it needs something, and goes on with its result. */
export type Steps = Generator<StepWork | Fork, PipelineEnd, ActionResult | undefined>

/** What the list at position `at` threw. */
export interface Failure {
  at: number
  thrown: unknown
}

/** Steps of a fork: their end is handed over, and a failure does not stop the steps beside them. */
export function* catching(
  at: number,
  failures: Failure[],
  steps: Steps,
  onEnd: (end: PipelineEnd) => void,
): Steps {
  try {
    const end = yield* steps
    onEnd(end)
    return end
  } catch (thrown) {
    failures.push({ at, thrown })
    return { output: {} }
  }
}

/** Of several failures, the one of the first list is reported. */
export const throwFirst = (failures: readonly Failure[]): void => {
  const [first] = failures.toSorted((a, b) => a.at - b.at)
  if (first !== undefined) throw first.thrown
}

/** The elements that `each` runs over, and how many there are without `max`. */
export const elementsOf = (
  list: string,
  max: number | undefined,
  scope: JsonObject,
): { elements: unknown[]; total: number } => {
  const value = Object.hasOwn(scope, list) ? scope[list] : undefined
  const wrong = (reason: string) =>
    new StewardError('invalid_input', { subject: `each: ${list}`, reason, field: list })
  if (value === undefined) throw wrong(`missing input "${list}" (array)`)
  if (!Array.isArray(value)) throw wrong(`must be an array, found ${typeOf(value)}`)
  const limit = max ?? LIMITS.fanOutElements
  if (max === undefined && value.length > limit) {
    throw wrong(`has ${value.length} elements, at most ${limit}; set max to use the first ones`)
  }
  return { elements: value.slice(0, limit), total: value.length }
}

export const tooLarge = (name: string, bytes: number): StewardError =>
  new StewardError('payload_too_large', {
    subject: `the results of ${name}`,
    bytes,
    limit: LIMITS.outputBytes,
  })
