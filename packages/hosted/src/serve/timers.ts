/** Runs an action once, later; the timer does not keep the process alive. */
export const setTimer = (delayMs: number, action: () => void): (() => void) => {
  const timer = setTimeout(action, delayMs)
  timer.unref()
  return () => clearTimeout(timer)
}

/** Repeats an action until stopped. */
export const repeat = (everyMs: number, action: () => void): (() => void) => {
  const timer = setInterval(action, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
