import type { FlowEntry, JsonObject, StewardError } from '@steward/contract'
import type { FlowItem } from './item.ts'

/** Errors that say no to this item for good; offering it again would only cost. */
const FINAL_CODES = new Set([
  'rejected_content',
  'model_refused',
  'invalid_input',
  'payload_too_large',
])

export const isRejection = (error: StewardError): boolean => FINAL_CODES.has(error.code)

/** What the pipeline gets of an item. Pipelines that send the mail themselves find whom to send it to. */
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
