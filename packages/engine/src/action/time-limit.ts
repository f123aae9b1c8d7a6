import { StewardError } from '@steward/contract'

/** Runs `work` with a signal that is aborted at the limit or by `stop`, and answers at the limit even if `work` does not. */
export const withTimeLimit = async <T>(
  subject: string,
  limitMs: number,
  stop: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  stop?.throwIfAborted()
  const startedAt = Date.now()
  const ended = new AbortController()
  // A timer costs more than work that waits for nothing, and could not end it either.
  const begun = stop === undefined ? work(ended.signal) : undefined
  if (begun !== undefined && (await settlesAtOnce(begun))) return begun
  let onStop: (() => void) | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const cut = new Promise<never>((_, reject) => {
    const end = (reason: unknown) => {
      ended.abort(reason)
      reject(reason)
    }
    const passedMs = Math.max(0, Date.now() - startedAt)
    const onElapsed = () => end(new StewardError('timeout', { subject, limitMs }))
    timer = setTimeout(onElapsed, Math.max(0, limitMs - passedMs))
    onStop = () => end(stop?.reason)
    stop?.addEventListener('abort', onStop, { once: true })
  })
  try {
    return await Promise.race([begun ?? work(ended.signal), cut])
  } finally {
    clearTimeout(timer)
    if (onStop) stop?.removeEventListener('abort', onStop)
  }
}

/** How many turns of the microtask queue it gets: none of them lets time pass. */
const TURNS = 8

const settlesAtOnce = async (work: Promise<unknown>): Promise<boolean> => {
  let isSettled = false
  const settle = () => {
    isSettled = true
  }
  work.then(settle, settle)
  for (let turn = 0; turn < TURNS && !isSettled; turn++) await undefined
  return isSettled
}
