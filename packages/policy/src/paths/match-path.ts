import { MARK } from '../shell/marks.ts'

/** One step of a path pattern: a character, or something that stands for several. */
type Token =
  | { kind: 'char'; char: string }
  | { kind: 'one' | 'star' | 'any' }
  | { kind: 'hidden-star' }

/** A path pattern of the policy: `~` expands, `**` is anything, `*` anything but a slash. */
export interface PathPattern {
  text: string
  tokens: Token[]
  /** The directory that everything it matches is in; empty when it may be anywhere. */
  root: string
  /** The last segment's plain characters. */
  name: string
  /** The last segment may begin with anything: `*.pem`. */
  isSuffix: boolean
}

const MAX_PATH = 4096

export const compilePath = (glob: string, home: string): PathPattern => {
  const expanded = glob === '~' || glob.startsWith('~/') ? home + glob.slice(1) : glob
  const text = expanded.length > 1 ? expanded.replace(/\/+$/, '') : expanded
  // A bare name may be anywhere.
  const whole = text.startsWith('/') || text.startsWith('**') ? text : `**/${text}`
  // Below it is meant anyway.
  const trimmed = whole.replace(/\/\*\*$/, '')
  const tokens: Token[] = []
  for (let at = 0; at < trimmed.length; at += 1) {
    if (trimmed.startsWith('**', at)) {
      tokens.push({ kind: 'any' })
      at += 1
    } else if (trimmed[at] === '*') tokens.push({ kind: 'star' })
    else if (trimmed[at] === '?') tokens.push({ kind: 'one' })
    else tokens.push({ kind: 'char', char: (trimmed[at] ?? '').toLowerCase() })
  }
  const fixed = /^[^*?]*/.exec(trimmed)?.[0] ?? ''
  const root = fixed === trimmed ? fixed : fixed.slice(0, fixed.lastIndexOf('/'))
  const last = trimmed.split('/').at(-1) ?? ''
  const name = last.replace(/[*?]/g, '').toLowerCase()
  const isSuffix = /^\*[^*?]+$/.test(last)
  return { text: glob, tokens, root: root.toLowerCase(), name, isSuffix }
}

/** Whether a path (which may hold marks) can be one that the pattern means, or lie below one. */
export const matchesPath = (pattern: PathPattern, path: string): boolean => {
  if (path.length > MAX_PATH) return true
  if (partsEarly(pattern, path)) return false
  return waysOf(path).some(
    (target) => meets(target, pattern.tokens) || meets(target, [...pattern.tokens, SLASH, ANY]),
  )
}

/** Whether a path can be one that the pattern means, itself. */
export const namesPath = (pattern: PathPattern, path: string): boolean =>
  path.length > MAX_PATH || waysOf(path).some((target) => meets(target, pattern.tokens))

/** Whether something that the pattern means lies below the path. Only fixed places count: a pattern that may be anywhere may be below everything. */
export const liesBelow = (pattern: PathPattern, path: string): boolean => {
  if (pattern.root === '' || path.length > MAX_PATH || partsEarly(pattern, path)) return false
  const below = path === '/' ? [[]] : waysOf(path)
  return below.some((target) => meets([...target, SLASH, ANY], pattern.tokens))
}

/** Most paths differ from most patterns in their first directories. */
const partsEarly = ({ root }: PathPattern, path: string): boolean => {
  const at = path.search(/[\uE000-\uE008]/)
  const known = (at === -1 ? path : path.slice(0, at)).toLowerCase()
  const shared = Math.min(known.length, root.length)
  return known.slice(0, shared) !== root.slice(0, shared)
}

/** Below a directory may be right in it: `a/(deep)/b` is `a/b` too. */
const waysOf = (path: string): Token[][] => {
  const direct = path.replaceAll(`/${MARK.deep}/`, '/')
  return direct === path ? [tokensOf(path)] : [tokensOf(path), tokensOf(direct)]
}

const SLASH: Token = { kind: 'char', char: '/' }
const ANY: Token = { kind: 'any' }

const tokensOf = (path: string): Token[] => {
  const tokens: Token[] = []
  let before = '/'
  for (const char of path.toLowerCase()) {
    if (char === MARK.star) tokens.push({ kind: before === '/' ? 'hidden-star' : 'star' })
    else if (char === MARK.one) tokens.push({ kind: 'one' })
    else if (char === MARK.segment) tokens.push({ kind: 'one' }, { kind: 'star' })
    else if (char >= '\uE000' && char <= '\uE008') tokens.push(ANY)
    else tokens.push({ kind: 'char', char })
    before = char
  }
  return tokens
}

const isMany = ({ kind }: Token): boolean =>
  kind === 'star' || kind === 'any' || kind === 'hidden-star'

/** Whether two patterns have a text in common: each cell says so for the rest of both. */
const meets = (a: readonly Token[], b: readonly Token[]): boolean => {
  let next = new Uint8Array(b.length + 1)
  for (let i = a.length; i >= 0; i -= 1) {
    const row = new Uint8Array(b.length + 1)
    for (let j = b.length; j >= 0; j -= 1) {
      row[j] = meetsAt(a, b, i, j, row, next) ? 1 : 0
    }
    next = row
  }
  return next[0] === 1
}

const meetsAt = (
  a: readonly Token[],
  b: readonly Token[],
  i: number,
  j: number,
  row: Uint8Array,
  next: Uint8Array,
): boolean => {
  const left = a[i]
  const right = b[j]
  if (left === undefined && right === undefined) return true
  if (left !== undefined && isMany(left)) {
    if (next[j] === 1) return true
    if (right !== undefined && (isMany(right) || takes(left, right, b[j - 1])) && row[j + 1] === 1)
      return true
    if (right === undefined || !isMany(right)) return false
  }
  if (right !== undefined && isMany(right)) {
    if (row[j + 1] === 1) return true
    return left !== undefined && takes(right, left, a[i - 1]) && next[j] === 1
  }
  if (left === undefined || right === undefined) return false
  return isSame(left, right) && next[j + 1] === 1
}

/** Whether a `*` can stand for this one character. A shell's `*` leaves out names that start with a dot. */
const takes = (many: Token, single: Token, before: Token | undefined): boolean => {
  if (many.kind === 'any') return true
  if (single.kind !== 'char') return true
  if (single.char === '/') return false
  const isFirst = before === undefined || (before.kind === 'char' && before.char === '/')
  return !(many.kind === 'hidden-star' && single.char === '.' && isFirst)
}

const isSame = (a: Token, b: Token): boolean => {
  if (a.kind === 'char' && b.kind === 'char') return a.char === b.char
  const single = a.kind === 'char' ? a : b.kind === 'char' ? b : undefined
  return single === undefined || single.char !== '/'
}
