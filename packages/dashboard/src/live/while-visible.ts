/**
 * Runs something while the page is visible: stops when the person switches to another tab, and
 * restarts when they return. Browsers allow six connections per server, and streams of background
 * pages would use them up.
 */
export const whileVisible = (begin: () => () => void): (() => void) => {
  let end: (() => void) | undefined
  const follow = (): void => {
    if (document.visibilityState === 'hidden') {
      end?.()
      end = undefined
    } else end ??= begin()
  }
  follow()
  document.addEventListener('visibilitychange', follow)
  return () => {
    document.removeEventListener('visibilitychange', follow)
    end?.()
  }
}
