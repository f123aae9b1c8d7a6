import { StewardError, toStewardError } from '@steward/contract'
import type { Sleep } from './retry.ts'

/** Runs `work` with a signal that aborts after `limitMs` or with `signal`; then throws why. */
export const withTimeLimit = async <T>(
  work: (signal: AbortSignal) => Promise<T>,
  limit: { subject: string; limitMs: number; sleep: Sleep; signal?: AbortSignal | undefined },
): Promise<T> => {
  const { subject, limitMs, sleep, signal } = limit
  const ended = new AbortController()
  const expired = new AbortController()
  sleep(limitMs, ended.signal).then(
    () => expired.abort(new StewardError('timeout', { subject, limitMs })),
    (error) => expired.abort(toStewardError(error)),
  )
  const either = signal === undefined ? expired.signal : AbortSignal.any([expired.signal, signal])
  try {
    return await work(either)
  } catch (error) {
    // Libraries wrap an abort in their own errors; the reason itself is more informative.
    throw either.aborted ? either.reason : error
  } finally {
    ended.abort()
  }
}
