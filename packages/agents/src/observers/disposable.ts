/** Directories that are made to be thrown away: to write and delete there says nothing. */
const ARTEFACTS =
  /\/(node_modules|dist|build|out|target|coverage|\.?cache|__pycache__|\.next|\.nuxt|\.turbo|\.venv|venv|\.pytest_cache|\.mypy_cache)(\/|$)/i
const TEMPORARY = /^\/(tmp|var\/tmp|var\/folders|dev)(\/|$)/

interface Place {
  /** In the directory that the call was made in. */
  inside: boolean
  home: string
}

/** Whether a path is one of these. Somebody whose work or home is among temporary files works there in earnest. */
export const isDisposable = (path: string, { inside, home }: Place): boolean => {
  const isHome = home !== '' && path.startsWith(`${home}/`)
  const below = isHome ? path.slice(home.length) : path
  return ARTEFACTS.test(below) || (TEMPORARY.test(path) && !inside && !isHome)
}
