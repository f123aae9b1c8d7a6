import type { FlowEntry, JsonObject, StewardError } from '@steward/contract'
import type { FlowItem } from './item.ts'

/** Errors that reject an item permanently; retrying would only cost money. */
const FINAL_CODES = new Set([
  'rejected_content',
  'model_refused',
  'invalid_input',
  'payload_too_large',
])

export const isRejection = (error: StewardError): boolean => FINAL_CODES.has(error.code)

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
