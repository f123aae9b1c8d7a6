import type { StewardError } from './errors.ts'

/** An expected outcome: a value or an error of the table, instead of an exception. */
export type Result<T> = { ok: true; value: T } | { ok: false; error: StewardError }

export const ok = <T>(value: T): Result<T> => ({ ok: true, value })
export const fail = (error: StewardError): { ok: false; error: StewardError } => ({
  ok: false,
  error,
})

/** The value of a result; throws its error, for callers that catch errors. */
export const unwrap = <T>(result: Result<T>): T => {
  if (result.ok) return result.value
  throw result.error
}
