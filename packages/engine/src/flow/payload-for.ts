import type { FlowEntry, JsonObject } from '@steward/contract'
import type { FlowItem } from './item.ts'

/**
 * An item's input for the pipeline. Includes the recipient for pipelines that send mail themselves.
 */
export const payloadFor = (
  flow: Pick<FlowEntry, 'name' | 'destination'>,
  { id, title, payload }: FlowItem,
): JsonObject => {
  if (flow.destination.type !== 'email') return payload
  return {
    to: flow.destination.address,
    subject: flow.destination.subject ?? `[${flow.name}] ${title ?? id}`,
    ...payload,
  }
}
