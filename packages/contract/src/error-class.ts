import type { ErrorCode } from './errors.ts'
import { isStorageCode } from './system-error.ts'

/**
 * Why an item failed, and what helps: waiting, a person who corrects the configuration, or nothing,
 * because the item's own content was refused.
 */
export const ERROR_CLASSES = ['retry-later', 'configuration', 'content'] as const
export type ErrorClass = (typeof ERROR_CLASSES)[number]

const CONFIGURATION: ReadonlySet<string> = new Set<ErrorCode>([
  'invalid_name',
  'unauthorized',
  'scope_missing',
  'path_refused',
  'not_found',
  'worker_not_found',
  'flow_disabled',
  'budget_exceeded',
  'invalid_definition',
  'capability_missing',
  'secret_missing',
  'sandbox_unavailable',
  'command_missing',
  'not_configured',
  'not_available',
  'invalid_api_key',
  'credit_exhausted',
  'binding_missing',
])

const CONTENT: ReadonlySet<string> = new Set<ErrorCode>([
  'invalid_input',
  'rejected_content',
  'item_filtered',
  'model_refused',
  'loop_unmet',
  'payload_too_large',
  // Items choose the addresses that actions fetch, so this must not block the whole flow.
  'address_refused',
])

/** As `checkFields` of the engine reports it; only the message survives a worker's answer. */
const MISSING_INPUT = /\bmissing input "/

/**
 * The class of an error, or of its record or its answer. Everything unknown is `retry-later`,
 * because a retry loses nothing.
 */
export const errorClassOf = ({
  code,
  message = '',
}: {
  code: string
  message?: string
}): ErrorClass => {
  // The pipeline does not fit the source: every item would fail in the same way.
  if (code === 'invalid_input' && MISSING_INPUT.test(message)) return 'configuration'
  if (CONFIGURATION.has(code) || isStorageCode(code)) return 'configuration'
  return CONTENT.has(code) ? 'content' : 'retry-later'
}
