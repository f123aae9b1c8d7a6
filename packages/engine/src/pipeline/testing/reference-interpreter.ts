import { isJsonObject, type JsonObject, type PipelineStep } from '@steward/contract'
import type { TestActions } from './memory-host.ts'

export type ReferenceEnd =
  | { output: JsonObject }
  | { output: JsonObject; filtered: string }
  | { stage: string }

/**
 * What a pipeline means, without records, concurrency or recovery: one step after the other.
 * Conditions are given as functions, so that not even their evaluation is shared.
 */
export const interpret = async (
  steps: readonly PipelineStep[],
  input: JsonObject,
  actions: TestActions,
  conditions: Record<string, (scope: JsonObject) => boolean>,
  outer: JsonObject = {},
): Promise<ReferenceEnd> => {
  const inner = (list: readonly PipelineStep[], fields: JsonObject, around = outer) =>
    interpret(list, fields, actions, conditions, around)
  let fields = input
  for (const step of steps) {
    if (typeof step === 'string' || 'action' in step) {
      const { action, with: lent = {}, onError } = toAction(step)
      const made = await perform(actions, action, { ...fields, ...lent })
      const end = made ?? (onError && (await inner(onError, { ...fields, error: ANY_ERROR })))
      if (end === undefined) return { stage: action }
      if ('stage' in end) return end
      const own = made === undefined ? { error: ANY_ERROR } : lent
      const output = returned(fields, own, end.output)
      if ('filtered' in end) return { ...end, output }
      fields = output
    } else if ('when' in step) {
      if (!conditions[step.when]?.({ ...outer, ...fields })) {
        return { output: fields, filtered: step.when }
      }
    } else if ('parallel' in step) {
      const ends = []
      for (const branch of step.parallel) ends.push(await inner(branch, fields))
      const failed = ends.find((end) => 'stage' in end)
      if (failed !== undefined) return failed
      const before = fields
      for (const end of ends) {
        if ('stage' in end || 'filtered' in end) continue
        for (const [name, value] of Object.entries(end.output)) {
          if (!same(value, before[name])) fields = { ...fields, [name]: value }
        }
      }
    } else {
      const list = { ...outer, ...fields }[step.each]
      if (!Array.isArray(list)) return { stage: `each ${step.each}` }
      const results: JsonObject[] = []
      const { [step.each]: _, ...around } = { ...outer, ...fields }
      for (const [index, item] of list.slice(0, step.max).entries()) {
        const own = isJsonObject(item) ? item : { item }
        const end = await inner(step.do, own, { ...around, item, index })
        if ('stage' in end) return end
        if (!('filtered' in end)) results.push(end.output)
      }
      fields = { ...fields, [step.each]: results }
    }
  }
  return { output: fields }
}

/** Tests do not look at the error itself. */
const ANY_ERROR = 'any error'

const toAction = (step: string | Extract<PipelineStep, { action: string }>) => {
  if (typeof step === 'string') return { action: step, with: undefined, onError: undefined }
  const { action, with: lent, onError } = step
  return { action, with: lent, onError: onError === undefined ? undefined : [onError].flat() }
}

const perform = async (
  actions: TestActions,
  action: string,
  input: JsonObject,
): Promise<{ output: JsonObject } | undefined> => {
  try {
    return { output: { ...input, ...(await actions[action]?.(structuredClone(input))) } }
  } catch {
    return undefined
  }
}

/** Fields for one step only are taken back, unless the step changed them. */
const returned = (before: JsonObject, own: JsonObject, after: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(after).flatMap(([name, value]) => {
      if (!(name in own) || !same(value, own[name])) return [[name, value]]
      return name in before ? [[name, before[name]]] : []
    }),
  )

const same = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other)
