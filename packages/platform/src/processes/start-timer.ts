/** Calls back once after a delay; the returned function cancels it. A port, so that tests need not wait. */
export type StartTimer = (delayMs: number, onElapsed: () => void) => () => void

export const startSystemTimer: StartTimer = (delayMs, onElapsed) => {
  const timer = setTimeout(onElapsed, delayMs)
  return () => clearTimeout(timer)
}
