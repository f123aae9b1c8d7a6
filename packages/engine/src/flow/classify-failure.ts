import { isStorageCode, type StewardError } from '@steward/contract'

/**
 * `later`: it may work by itself after some time. `configuration`: it fails until a person changes
 * something, whatever the item. `unfit`: the item does not fit the definition; which of the two is
 * wrong shows in the other items. `rejected`: the content of this item cannot be used. `limit`: a
 * budget of this run or day is used up.
 */
export type FailureClass = 'later' | 'configuration' | 'unfit' | 'rejected' | 'limit'

const CLASSES: Readonly<Record<string, FailureClass>> = {
  rejected_content: 'rejected',
  model_refused: 'rejected',
  payload_too_large: 'rejected',
  invalid_input: 'unfit',
  budget_exceeded: 'limit',
  subrequest_limit: 'limit',
  invalid_api_key: 'configuration',
  credit_exhausted: 'configuration',
  unauthorized: 'configuration',
  not_configured: 'configuration',
  secret_missing: 'configuration',
  capability_missing: 'configuration',
  sandbox_unavailable: 'configuration',
  command_missing: 'configuration',
  binding_missing: 'configuration',
  worker_not_found: 'configuration',
  invalid_definition: 'configuration',
  invalid_name: 'configuration',
  not_found: 'unfit',
  not_available: 'configuration',
  path_refused: 'unfit',
  address_refused: 'unfit',
}

/** How a flow treats an error of a pipeline, locally and on the edge. */
export const classifyFailure = ({ code }: Pick<StewardError, 'code'>): FailureClass =>
  CLASSES[code] ?? (isStorageCode(code) ? 'configuration' : 'later')

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
