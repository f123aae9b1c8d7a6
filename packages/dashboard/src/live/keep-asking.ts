const AGAIN_MS = 3000

/**
 * Polls every three seconds while the page is visible, because a server in another process does not
 * notify the daemon. For `$effect`; returns the function that stops it.
 */
export const keepAsking = (refresh: () => Promise<void>): (() => void) => {
  let isUnderWay = false
  const timer = setInterval(() => {
    if (isUnderWay || document.visibilityState === 'hidden') return
    isUnderWay = true
    void refresh().finally(() => {
      isUnderWay = false
    })
  }, AGAIN_MS)
  return () => clearInterval(timer)
}
