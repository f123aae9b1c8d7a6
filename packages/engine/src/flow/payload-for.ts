import { destinationsOf, type FlowEntry, type JsonObject, StewardError } from '@steward/contract'
import { compileCondition } from '../pipeline/condition.ts'
import type { FlowItem } from './item.ts'

/**
 * An item's input for the pipeline, with the flow's own fields. Includes the recipient for pipelines
 * that send mail themselves. Throws `item_filtered` if the flow's filter does not match.
 */
export const payloadFor = (
  flow: Pick<
    FlowEntry,
    'name' | 'destination' | 'destinations' | 'filter' | 'with' | 'digest' | 'pipeline'
  >,
  { id, title, payload }: FlowItem,
): JsonObject => {
  if (flow.filter !== undefined && !matches(flow.filter, payload)) {
    throw new StewardError('item_filtered', { condition: flow.filter })
  }
  const mail = destinationsOf(flow).find((each) => each.type === 'email')
  if (mail?.type !== 'email' || flow.digest !== undefined) return { ...payload, ...flow.with }
  const subject = mail.subject ?? `[${flow.name}] ${title ?? id}`
  return { to: mail.address, subject, ...payload, ...flow.with }
}

/** The last expression: a run asks the same one for every item. */
let compiled: { expression: string; test: (scope: JsonObject) => boolean } | undefined

const matches = (expression: string, payload: JsonObject): boolean => {
  if (compiled?.expression !== expression) {
    const condition = compileCondition(expression, 'filter')
    if (!condition.ok) throw condition.error
    compiled = { expression, test: condition.value.test }
  }
  return compiled.test(payload)
}
