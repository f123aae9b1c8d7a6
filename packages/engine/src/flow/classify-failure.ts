import { type ErrorClass, errorClassOf, isStorageCode, type StewardError } from '@steward/contract'

/**
 * `later`: it may work by itself after some time. `configuration`: it fails until a person changes
 * something, whatever the item. `unfit`: the item does not fit the definition; which of the two is
 * wrong shows in the other items. `rejected`: the content of this item cannot be used. `limit`: a
 * budget of this run or day is used up.
 */
export type FailureClass = 'later' | 'configuration' | 'unfit' | 'rejected' | 'limit'

/** Where a flow has to know more than the class of the error. */
const OF_FLOWS: Readonly<Record<string, FailureClass>> = {
  invalid_input: 'unfit',
  not_found: 'unfit',
  path_refused: 'unfit',
  address_refused: 'unfit',
  budget_exceeded: 'limit',
  subrequest_limit: 'limit',
}

const BY_CLASS = {
  'retry-later': 'later',
  configuration: 'configuration',
  content: 'rejected',
} as const satisfies Record<ErrorClass, FailureClass>

/** How a flow treats an error of a pipeline, locally and on the edge. */
export const classifyFailure = (error: Pick<StewardError, 'code'>): FailureClass =>
  OF_FLOWS[error.code] ??
  (isStorageCode(error.code) ? 'configuration' : BY_CLASS[errorClassOf(error)])

/** How a flow treats an error of its destination. Only the item itself can be invalid input there. */
export const classifyDeliveryFailure = (
  error: Pick<StewardError, 'code'>,
): Exclude<FailureClass, 'unfit'> => {
  const known = classifyFailure(error)
  if (known !== 'unfit') return known
  return error.code === 'invalid_input' ? 'rejected' : 'configuration'
}

/** Whether an item is never offered again because of its content. */
export const isRejection = (error: Pick<StewardError, 'code'>): boolean =>
  classifyFailure(error) === 'rejected'

/**
 * Whether a step that failed after a model's answer may succeed with another answer. Then it asks
 * with another idempotency key. In every other case, and if no answer was received, the key stays the
 * same: an answer that was lost may have been paid for.
 */
export const isAnswerToBlame = (error: Pick<StewardError, 'code' | 'retryable'>): boolean => {
  if (error.code === 'model_malformed') return true
  const kind = classifyFailure(error)
  return !error.retryable && kind !== 'limit' && kind !== 'configuration'
}
