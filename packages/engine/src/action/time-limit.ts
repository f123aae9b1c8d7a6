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
  return new Promise<T>((resolve, reject) => {
    const end = (reason: unknown): void => {
      leave()
      controller ??= new AbortController()
      controller.abort(reason)
      cutOff?.(reason)
      reject(reason)
    }
    const passedMs = Math.max(0, Date.now() - startedAt)
    const onElapsed = () => end(new StewardError('timeout', { subject, limitMs }))
    const timer = setTimeout(onElapsed, Math.max(0, limitMs - passedMs))
    const onStop = () => end(stop?.reason)
    stop?.addEventListener('abort', onStop, ONCE)
    const leave = (): void => {
      clearTimeout(timer)
      stop?.removeEventListener('abort', onStop)
    }
    const fail = (reason: unknown): void => {
      leave()
      reject(reason)
    }
    try {
      const running = begun ?? work(signal, onCut)
      running.then((value) => {
        leave()
        resolve(value)
      }, fail)
    } catch (thrown) {
      fail(thrown)
    }
  })
}

const ONCE = { once: true }

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
