import { MARK } from '../shell/marks.ts'

const OPEN_START = /^[\uE003\uE005\uE006\uE008]/

/** Makes a path absolute and removes `.`, `..` and double slashes. Keeps marks. */
export const resolvePath = (path: string, directory: string, home: string): string => {
  // An unknown beginning may be an absolute path.
  if (OPEN_START.test(path)) return path
  const expanded = path === '~' || path.startsWith('~/') ? home + path.slice(1) : path
  const url = expanded.startsWith('file://') ? expanded.slice(7) : expanded
  const whole = url.startsWith('/') ? url : `${directory}/${url}`
  if (OPEN_START.test(whole)) return whole
  const segments: string[] = []
  for (const segment of whole.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') segments.push(segment)
    else if (segments.at(-1) !== MARK.unknown) segments.pop()
  }
  return stripDetours(`/${segments.join('/')}`)
}

/** Removes aliases of the same location. */
const stripDetours = (path: string): string => {
  const inner = path.replace(/^\/proc\/(?:self|thread-self|\d+)\/root(?=\/|$)/, '')
  const plain = inner.replace(/^\/private(?=\/(?:etc|tmp|var)(?:\/|$))/, '')
  return plain === '' ? '/' : plain
}
