import { isPlain, MARK } from '../shell/marks.ts'
import { ANY, type Token } from './meet-tokens.ts'

/** A path with values computed once, because it is matched against many patterns. */
export interface PathTarget {
  lower: string
  /** It contains no marks. */
  isPlain: boolean
  /** The part before the first mark. */
  known: string
  isTooLong: boolean
  segments: () => string[]
  /** Its tokens, in each possible reading. */
  ways: () => Token[][]
}

const MAX_PATH = 4096

export const targetOf = (path: string): PathTarget => {
  const lower = path.toLowerCase()
  const at = lower.search(/[\uE000-\uE008]/)
  let ways: Token[][] | undefined
  let segments: string[] | undefined
  return {
    lower,
    isPlain: isPlain(path),
    known: at === -1 ? lower : lower.slice(0, at),
    isTooLong: path.length > MAX_PATH,
    segments: () => {
      segments ??= lower.split('/')
      return segments
    },
    ways: () => {
      ways ??= waysOf(lower)
      return ways
    },
  }
}

/** "Below a directory" includes the directory itself: `a/(deep)/b` may be `a/b`. */
const waysOf = (path: string): Token[][] => {
  const direct = path.replaceAll(`/${MARK.deep}/`, '/')
  return direct === path ? [tokensOf(path)] : [tokensOf(path), tokensOf(direct)]
}

const tokensOf = (path: string): Token[] => {
  const tokens: Token[] = []
  let before = '/'
  for (const char of path) {
    if (char === MARK.star) tokens.push({ kind: before === '/' ? 'hidden-star' : 'star' })
    else if (char === MARK.one) tokens.push({ kind: 'one' })
    else if (char === MARK.segment) tokens.push({ kind: 'one' }, { kind: 'star' })
    else if (char >= '\uE000' && char <= '\uE008') tokens.push(ANY)
    else tokens.push({ kind: 'char', char })
    before = char
  }
  return tokens
}
