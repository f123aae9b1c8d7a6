import { isPlain, MARK } from '../shell/marks.ts'
import { ANY, type Token } from './meet-tokens.ts'

/** A path as it is held against many patterns: what they all ask is found out once. */
export interface PathTarget {
  lower: string
  /** Nothing in it stands for something else. */
  isPlain: boolean
  /** What is known of it whatever the marks stand for. */
  known: string
  isTooLong: boolean
  segments: () => string[]
  /** It as steps, in each way that it can be read. */
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

/** Below a directory may be right in it: `a/(deep)/b` is `a/b` too. */
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
