/** Temporary directories: writing and deleting there is harmless. */
const ARTEFACTS =
  /\/(node_modules|dist|build|out|target|coverage|\.?cache|__pycache__|\.next|\.nuxt|\.turbo|\.venv|venv|\.pytest_cache|\.mypy_cache)(\/|$)/i
const TEMPORARY = /^\/(tmp|var\/tmp|var\/folders|dev)(\/|$)/

interface Place {
  /** Inside the call's working directory. */
  inside: boolean
  home: string
}

/**
 * Whether a path is disposable. If the user's project or home is itself in a temporary folder, it
 * does not count.
 */
export const isDisposable = (path: string, { inside, home }: Place): boolean => {
  const isHome = home !== '' && path.startsWith(`${home}/`)
  const below = isHome ? path.slice(home.length) : path
  return ARTEFACTS.test(below) || (TEMPORARY.test(path) && !inside && !isHome)
}
