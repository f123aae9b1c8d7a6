import { MARK } from '../shell/marks.ts'

const OPEN_START = /^[\uE003\uE005\uE006\uE008]/

/** A path as the system would see it: absolute, without `.`, `..` and doubled slashes. Marks stay. */
export const resolvePath = (path: string, directory: string, home: string): string => {
  // Something unknown in front may be absolute itself.
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

/** Other names of the same places. */
const stripDetours = (path: string): string => {
  const inner = path.replace(/^\/proc\/(?:self|thread-self|\d+)\/root(?=\/|$)/, '')
  const plain = inner.replace(/^\/private(?=\/(?:etc|tmp|var)(?:\/|$))/, '')
  return plain === '' ? '/' : plain
}
