const QUOTES = /["'`]/g
/** The rest of a literal up to its quote or to the first place at which it cannot continue. */
const INSIDE: Readonly<Record<string, RegExp>> = {
  '"': /(?:[^"\\\n]+|\\.)*/y,
  "'": /(?:[^'\\\n]+|\\.)*/y,
  '`': /(?:[^`\\]+|\\.)*/y,
}

/**
 * The string literals of a piece of code. A quote that no other closes is skipped, and so are those
 * of its kind up to where it failed: they were escaped, so they fail in the same place, and trying
 * each would take quadratic time.
 */
export const findLiterals = (code: string): string[] => {
  const found: string[] = []
  const failedUntil = new Map<string, number>()
  QUOTES.lastIndex = 0
  for (let match = QUOTES.exec(code); match !== null; match = QUOTES.exec(code)) {
    const [quote] = match
    const inside = INSIDE[quote]
    if (inside === undefined || match.index < (failedUntil.get(quote) ?? 0)) continue
    inside.lastIndex = match.index + 1
    const [text = ''] = inside.exec(code) ?? []
    const end = match.index + 1 + text.length
    if (code[end] === quote) {
      found.push(text)
      QUOTES.lastIndex = end + 1
    } else failedUntil.set(quote, end)
  }
  return found
}
