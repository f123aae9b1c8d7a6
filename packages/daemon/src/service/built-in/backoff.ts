const FIRST_MS = 1000
const LONGEST_MS = 60_000
/** A daemon that ran this long had started well; its next end counts as the first again. */
const STEADY_MS = 60_000

/** How long to wait before the next start: doubled with each quick end, up to a minute. */
export const createBackoff = () => {
  let delayMs = FIRST_MS
  return {
    /** `uptimeMs`: how long the one that just ended had run. */
    next: (uptimeMs: number): number => {
      if (uptimeMs >= STEADY_MS) delayMs = FIRST_MS
      const waitMs = delayMs
      delayMs = Math.min(delayMs * 2, LONGEST_MS)
      return waitMs
    },
  }
}
