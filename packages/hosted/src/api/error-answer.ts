import { StewardError } from '@steward/contract'
import { Refusal } from './refusal.ts'

/** Whatever was thrown, as the refusal that a caller gets; what nobody foresaw says nothing of itself. */
export const toRefusal = (thrown: unknown): Refusal => {
  if (thrown instanceof Refusal) return thrown
  if (!(thrown instanceof StewardError))
    return new Refusal(500, 'something failed here; the log of the server has the details')
  if (thrown.code === 'hosted_lease_lost' || thrown.code === 'storage_failed')
    return new Refusal(503, thrown.message, undefined, { 'x-should-retry': 'true' })
  if (thrown.status >= 500)
    return new Refusal(500, 'something failed here; the log of the server has the details')
  return new Refusal(thrown.status, thrown.message)
}

/** The error envelope. */
export const toErrorBody = (refusal: Refusal, requestId: string): string =>
  JSON.stringify({
    type: 'error',
    error: {
      type: refusal.type,
      message: refusal.message,
      ...(refusal.details === undefined ? {} : { details: refusal.details }),
    },
    request_id: requestId,
  })
