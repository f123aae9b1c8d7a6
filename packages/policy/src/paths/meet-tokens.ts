/** One token of a path pattern: a character, or a wildcard. */
export type Token =
  | { kind: 'char'; char: string }
  | { kind: 'one' | 'star' | 'any' }
  | { kind: 'hidden-star' }

export const SLASH: Token = { kind: 'char', char: '/' }
export const ANY: Token = { kind: 'any' }

const isMany = ({ kind }: Token): boolean =>
  kind === 'star' || kind === 'any' || kind === 'hidden-star'

/**
 * Returns whether two patterns can match the same text: each cell answers this for the remainders
 * of both.
 */
export const meets = (a: readonly Token[], b: readonly Token[]): boolean => {
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

/**
 * Returns whether a wildcard can match this one character. The `*` of a shell excludes names that
 * start with a dot.
 */
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
