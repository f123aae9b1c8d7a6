import { StewardError, toHostedError, toStewardError } from '@steward/contract'
import type { ErrorAnswer } from '@steward/http'

/** Messages quote the invalid input, which may be of any length. */
const LONGEST_MESSAGE = 2000

/**
 * An error in the API's envelope. Internal details are only logged, because the caller may be
 * anyone.
 */
export const toErrorAnswer = (thrown: unknown, requestId: string): ErrorAnswer => {
  const error = toPublicError(toStewardError(thrown))
  const { status, body, shouldRetry } = toHostedError(error, requestId)
  const { allowed, retryAfterSeconds } = error.details
  return {
    status,
    headers: {
      'content-type': 'application/json',
      // Clients retry these by default unless the header says that the error is final.
      ...(status === 409 || status >= 500 ? { 'x-should-retry': String(shouldRetry) } : {}),
      ...(error.code === 'method_not_allowed' ? { allow: String(allowed) } : {}),
      ...(typeof retryAfterSeconds === 'number'
        ? { 'retry-after': String(retryAfterSeconds) }
        : {}),
    },
    body: JSON.stringify({
      ...body,
      error: { ...body.error, message: shorten(body.error.message) },
    }),
  }
}

const shorten = (message: string): string =>
  message.length > LONGEST_MESSAGE
    ? `${message.slice(0, LONGEST_MESSAGE).toWellFormed()}…`
    : message

const toPublicError = (error: StewardError): StewardError => {
  if (error.status < 500) return error
  if (error.code === 'disk_full')
    return StewardError.restore(error.code, 'the disk of the server is full')
  if (error.code === 'storage_damaged' || error.code === 'storage_lost') {
    const reason = 'the database of the server is damaged or gone; its log has the details'
    return StewardError.restore(error.code, reason)
  }
  if (error.retryable) return StewardError.restore(error.code, 'the store is busy or unavailable')
  return new StewardError('internal', { reason: 'see the log of the server for details' })
}
