const AGAIN_MS = 3000

/**
 * Asks again every three seconds while the page is looked at: a server in another process does not
 * tell the daemon what happens in it. For `$effect`; gives back how to end it.
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
