/**
 * Does something while the page is seen: begins, ends when the person turns to another tab, and begins
 * again when they are back. Browsers allow six connections to a server, and streams of pages in the
 * background would use them up.
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
