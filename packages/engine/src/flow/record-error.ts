import type { RecordedError, StewardError } from '@steward/contract'

/** An error as stored in records. */
export const recordError = (error: StewardError): RecordedError => {
  const { field } = error.details
  const stack = actionStackOf(error)
  return {
    code: error.code,
    message: error.message,
    retryable: error.retryable,
    ...(typeof field === 'string' ? { field } : {}),
    ...(stack === undefined ? {} : { stack }),
  }
}

const CAUSES = 4

/** The stack of the action's own code, which the error or one of its causes brings along. */
const actionStackOf = (thrown: unknown, depth = 0): string | undefined => {
  if (!(thrown instanceof Error) || depth > CAUSES) return undefined
  if ('actionStack' in thrown && typeof thrown.actionStack === 'string') return thrown.actionStack
  return actionStackOf(thrown.cause, depth + 1)
}
