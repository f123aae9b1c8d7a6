import { StewardError } from '@steward/contract'

/** Sets what is called at the timeout or by `stop`; it costs less than a listener of a signal. */
export type OnCut = (run: (reason: unknown) => void) => void

/**
 * Runs `work` with a signal that aborts at the timeout or by `stop`, and returns at the timeout
 * even if `work` does not. The signal is created on first use, because most work never needs it.
 */
export const withTimeLimit = async <T>(
  subject: string,
  limitMs: number,
  stop: AbortSignal | undefined,
  work: (signal: () => AbortSignal, onCut: OnCut) => Promise<T>,
): Promise<T> => {
  stop?.throwIfAborted()
  const startedAt = Date.now()
  let controller: AbortController | undefined
  const signal = (): AbortSignal => {
    controller ??= new AbortController()
    return controller.signal
  }
  let cutOff: ((reason: unknown) => void) | undefined
  const onCut: OnCut = (run) => {
    cutOff = run
  }
  // A timer costs more than work that never waits, and could not end it either.
  const begun = stop === undefined ? work(signal, onCut) : undefined
  if (begun !== undefined && (await settlesAtOnce(begun))) return begun
  let onStop: (() => void) | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const cut = new Promise<never>((_, reject) => {
    const end = (reason: unknown) => {
      controller ??= new AbortController()
      controller.abort(reason)
      cutOff?.(reason)
      reject(reason)
    }
    const passedMs = Math.max(0, Date.now() - startedAt)
    const onElapsed = () => end(new StewardError('timeout', { subject, limitMs }))
    timer = setTimeout(onElapsed, Math.max(0, limitMs - passedMs))
    onStop = () => end(stop?.reason)
    stop?.addEventListener('abort', onStop, { once: true })
  })
  try {
    return await Promise.race([begun ?? work(signal, onCut), cut])
  } finally {
    clearTimeout(timer)
    if (onStop) stop?.removeEventListener('abort', onStop)
  }
}

/** How many turns of the microtask queue to wait; they take no time. */
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
