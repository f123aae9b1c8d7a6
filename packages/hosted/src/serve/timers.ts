/** Repeats an action until stopped. */
export const repeat = (everyMs: number, action: () => void): (() => void) => {
  const timer = setInterval(action, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
