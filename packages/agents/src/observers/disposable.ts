/** Places that are made to be thrown away: to write and delete there says nothing. */
const DISPOSABLE =
  /^\/(tmp|var\/tmp|var\/folders|dev)(\/|$)|\/(node_modules|dist|build|out|target|coverage|\.?cache|__pycache__|\.next|\.nuxt|\.turbo|\.venv|venv|tmp|temp|\.pytest_cache|\.mypy_cache)(\/|$)/i

export const isDisposable = (path: string): boolean => DISPOSABLE.test(path)
