import { StewardError } from '@steward/contract'
import type { Timer } from '../brain.ts'

export interface TimeLimit {
  ms: number
  timer: Timer
  signal: AbortSignal
  /** Whose time it is, for messages. */
  subject: string
}

/** Runs something that ends when its time is over or `signal` says so, also if it does not listen itself. */
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
