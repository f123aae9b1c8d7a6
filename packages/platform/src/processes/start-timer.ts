import { setTimeout as sleep } from 'node:timers/promises'

/** Calls back once after a delay; the returned function cancels it. A port, so that tests need not wait. */
export type StartTimer = (delayMs: number, onElapsed: () => void) => () => void

export const startSystemTimer: StartTimer = (delayMs, onElapsed) => {
  const timer = setTimeout(onElapsed, delayMs)
  return () => clearTimeout(timer)
}

/** A timer that does not keep the process alive. */
export const startBackgroundTimer: StartTimer = (delayMs, onElapsed) => {
  const timer = setTimeout(onElapsed, delayMs)
  timer.unref()
  return () => clearTimeout(timer)
}

/** Waits; returns early when the signal aborts. */
export const pause = async (delayMs: number, signal: AbortSignal): Promise<void> => {
  try {
    await sleep(delayMs, undefined, { signal })
  } catch (thrown) {
    if (!signal.aborted) throw thrown
  }
}
