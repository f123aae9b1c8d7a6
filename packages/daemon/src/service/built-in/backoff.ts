const FIRST_MS = 1000
const LONGEST_MS = 60_000
/** A daemon that ran this long started well, so its next exit counts as the first. */
const STEADY_MS = 60_000

/** The delay before the next start: doubled after each quick exit, up to a minute. */
export const createBackoff = () => {
  let delayMs = FIRST_MS
  return {
    /** `uptimeMs`: how long the last process ran. */
    next: (uptimeMs: number): number => {
      if (uptimeMs >= STEADY_MS) delayMs = FIRST_MS
      const waitMs = delayMs
      delayMs = Math.min(delayMs * 2, LONGEST_MS)
      return waitMs
    },
  }
}
