import { StewardError } from '@steward/contract'

/** Runs `work` with a signal that is aborted at the limit or by `stop`, and answers at the limit even if `work` does not. */
export const withTimeLimit = async <T>(
  subject: string,
  limitMs: number,
  stop: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  stop?.throwIfAborted()
  const ended = new AbortController()
  let onStop: (() => void) | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const cut = new Promise<never>((_, reject) => {
    const end = (reason: unknown) => {
      ended.abort(reason)
      reject(reason)
    }
    timer = setTimeout(() => end(new StewardError('timeout', { subject, limitMs })), limitMs)
    onStop = () => end(stop?.reason)
    stop?.addEventListener('abort', onStop, { once: true })
  })
  try {
    return await Promise.race([work(ended.signal), cut])
  } finally {
    clearTimeout(timer)
    if (onStop) stop?.removeEventListener('abort', onStop)
  }
}
