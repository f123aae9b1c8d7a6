/**
 * Tells quickly whether a text may hold one of many strings, for texts that nearly never do. It
 * leaps ahead by what each pair of letters allows (Wu and Manber's way), so the time hardly grows
 * with the number of strings. `true` means: look closely.
 */
export const createQuickFinder = (strings: readonly string[]): ((text: string) => boolean) => {
  const width = Math.min(...strings.map((string) => string.length))
  const starts = new Set(strings.map((string) => string.slice(0, width)))
  const leaps = leapsOf(starts, width)
  return (text) => {
    for (let end = width - 1; end < text.length; ) {
      const leap = leaps[pairOf(text, end)] ?? 1
      if (leap === 0 && starts.has(text.slice(end - width + 1, end + 1))) return true
      end += leap || 1
    }
    return false
  }
}

const PAIRS = 1 << 14

/** Two different pairs may share a place: that costs a shorter leap, never a find. */
const pairOf = (text: string, end: number): number =>
  ((text.charCodeAt(end - 1) << 7) ^ text.charCodeAt(end)) & (PAIRS - 1)

const leapsOf = (starts: Iterable<string>, width: number): Uint8Array => {
  const leaps = new Uint8Array(PAIRS).fill(Math.min(width - 1, 255))
  for (const start of starts) {
    for (let end = 1; end < width; end++) {
      const pair = pairOf(start, end)
      leaps[pair] = Math.min(leaps[pair] ?? 0, width - 1 - end)
    }
  }
  return leaps
}
