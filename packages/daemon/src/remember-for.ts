/** Caches an answer briefly, for values that are read often, change rarely and need disk access. */
export const rememberFor = <T>(
  keepMs: number,
  setTimer: (delayMs: number, action: () => void) => () => void,
  ask: () => T,
): (() => T) => {
  let kept: { answer: T } | undefined
  return () => {
    if (kept === undefined) {
      kept = { answer: ask() }
      setTimer(keepMs, () => {
        kept = undefined
      })
    }
    return kept.answer
  }
}
