import type { RecordedError, StewardError } from '@steward/contract'

/** An error as stored in records. */
export const recordError = (error: StewardError): RecordedError => {
  const { field } = error.details
  return {
    code: error.code,
    message: error.message,
    retryable: error.retryable,
    ...(typeof field === 'string' ? { field } : {}),
  }
}
