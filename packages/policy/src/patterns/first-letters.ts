/** Long enough to distinguish most commands. */
const LONGEST = 24
const LITERAL = /[A-Za-z0-9_ /-]/
const OPTIONAL = /[?*{]/

/**
 * The possible beginnings of every match of a pattern, one entry per alternative; undefined if they
 * cannot be determined. A hook that judges a single call has no time to try a hundred patterns.
 */
export const firstLetters = (source: string): string[] | undefined => {
  const ways = splitWays(source)
  if (ways === undefined || !ways.every((way) => way.startsWith('^'))) return undefined
  return collect(ways.map((way) => way.slice(1)))
}

/** Returns whether a text starts with one of these beginnings. */
export const mayBegin = (text: string, letters: readonly string[]): boolean => {
  const start = text.slice(0, LONGEST).toLowerCase()
  return letters.some((each) => start.startsWith(each))
}

const collect = (ways: readonly string[]): string[] | undefined => {
  const found = ways.map(lettersOf)
  return found.every((letters) => letters !== undefined) ? found.flat() : undefined
}

const lettersOf = (way: string): string[] | undefined => {
  if (way.startsWith('(')) {
    const end = closingOf(way)
    if (end === -1 || OPTIONAL.test(way[end + 1] ?? '')) return undefined
    const inside = way.slice(1, end).replace(/^\?:/, '')
    const ways = inside.startsWith('?') ? undefined : splitWays(inside)
    return ways === undefined ? undefined : collect(ways.map((each) => each.replace(/^\^/, '')))
  }
  let length = 0
  while (length < way.length && LITERAL.test(way[length] ?? '')) length += 1
  if (OPTIONAL.test(way[length] ?? '')) length -= 1
  return length < 1 ? undefined : [way.slice(0, Math.min(length, LONGEST)).toLowerCase()]
}

/** The top-level alternatives between `|`; undefined if brackets are unbalanced. */
const splitWays = (source: string): string[] | undefined => {
  const ways: string[] = []
  let from = 0
  for (let at = 0; at < source.length; at += 1) {
    const past = skip(source, at)
    if (past === -1) return undefined
    if (past === at && source[at] === '|') {
      ways.push(source.slice(from, at))
      from = at + 1
    }
    at = past
  }
  return [...ways, source.slice(from)]
}

/** The last index of the escape, class or group that starts here; -1 if it does not end. */
const skip = (source: string, at: number): number => {
  if (source[at] === '\\') return at + 1
  if (source[at] === '[') return endOfClass(source, at)
  if (source[at] !== '(') return at
  const end = closingOf(source.slice(at))
  return end === -1 ? -1 : at + end
}

const endOfClass = (source: string, start: number): number => {
  for (let at = start + 1; at < source.length; at += 1) {
    if (source[at] === '\\') at += 1
    else if (source[at] === ']') return at
  }
  return -1
}

/** The index at which the group at the start of the text closes. */
const closingOf = (source: string): number => {
  for (let at = 1; at < source.length; at += 1) {
    if (source[at] === ')') return at
    const past = skip(source, at)
    if (past === -1) return -1
    at = past
  }
  return -1
}
