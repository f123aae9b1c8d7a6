import { StewardError } from '@steward/contract'
import type { Timer } from '../brain.ts'

export interface TimeLimit {
  ms: number
  timer: Timer
  signal: AbortSignal
  /** Names the operation in messages. */
  subject: string
}

/**
 * Runs a task that ends at its timeout or when `signal` aborts, even if the task ignores the
 * signal.
 */
export const limitTime = async <T>(
  { ms, timer, signal, subject }: TimeLimit,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const over = new AbortController()
  const cancel = timer(ms, () => over.abort(new StewardError('timeout', { subject, limitMs: ms })))
  const limited = AbortSignal.any([signal, over.signal])
  const ended = Promise.withResolvers<never>()
  const end = (): void => ended.reject(limited.reason)
  limited.addEventListener('abort', end, { once: true })
  try {
    limited.throwIfAborted()
    return await Promise.race([run(limited), ended.promise])
  } finally {
    cancel()
    limited.removeEventListener('abort', end)
  }
}
