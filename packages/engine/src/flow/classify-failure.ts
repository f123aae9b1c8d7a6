import { errorClassOf, isStorageCode, type StewardError } from '@steward/contract'

/**
 * `later`: it may work by itself after some time. `configuration`: it fails until a person changes
 * something, whatever the item. `unfit`: the item does not fit the definition; which of the two is
 * wrong shows in the other items. `rejected`: the content of this item cannot be used. `limit`: a
 * budget of this run or day is used up.
 */
export type FailureClass = 'later' | 'configuration' | 'unfit' | 'rejected' | 'limit'

const LIMIT: ReadonlySet<string> = new Set(['budget_exceeded', 'subrequest_limit'])
const UNFIT: ReadonlySet<string> = new Set([
  'invalid_input',
  'not_found',
  'path_refused',
  'address_refused',
])
const BY_ERROR_CLASS = {
  'retry-later': 'later',
  configuration: 'configuration',
  content: 'rejected',
} as const

/** How a flow treats an error of a pipeline, locally and on the edge. */
export const classifyFailure = ({ code }: Pick<StewardError, 'code'>): FailureClass => {
  if (LIMIT.has(code)) return 'limit'
  if (UNFIT.has(code)) return 'unfit'
  return isStorageCode(code) ? 'configuration' : BY_ERROR_CLASS[errorClassOf({ code })]
}

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
