/** Keeps an answer for a moment: for what is asked often, changes rarely and costs the disk something. */
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
