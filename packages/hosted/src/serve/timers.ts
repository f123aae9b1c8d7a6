/** Does it once, later; none of ours keeps a process alive. */
export const setTimer = (delayMs: number, action: () => void): (() => void) => {
  const timer = setTimeout(action, delayMs)
  timer.unref()
  return () => clearTimeout(timer)
}

/** Does it again and again until told to stop. */
export const repeat = (everyMs: number, action: () => void): (() => void) => {
  const timer = setInterval(action, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
