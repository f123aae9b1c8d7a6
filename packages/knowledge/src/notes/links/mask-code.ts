const FENCE = /^ {0,3}(`{3,}|~{3,})/

/** Blanks out code without changing the length, because links in code do not count. */
export const maskCode = (text: string): string => {
  if (!text.includes('`') && !text.includes('~~~')) return text
  let fence: string | undefined
  return text
    .split('\n')
    .map((line) => {
      const mark = FENCE.exec(line)?.[1]
      if (fence !== undefined) {
        const closes = mark?.startsWith(fence)
        if (closes) fence = undefined
        return ' '.repeat(line.length)
      }
      if (mark === undefined) return maskSpans(line)
      fence = mark
      return ' '.repeat(line.length)
    })
    .join('\n')
}

/** A code span ends at the next run of equally many backticks. */
const maskSpans = (line: string): string => {
  if (!line.includes('`')) return line
  const runs = [...line.matchAll(/`+/g)].map(({ 0: mark, index }) => ({
    index,
    length: mark.length,
  }))
  const closings = closingsOf(runs)
  let masked = ''
  let at = 0
  for (const [number, { index }] of runs.entries()) {
    const closing = closings[number]
    if (index < at || closing === undefined) continue
    masked += line.slice(at, index) + ' '.repeat(closing - index)
    at = closing
  }
  return masked + line.slice(at)
}

/**
 * The end of the span that each run opens; searched backward, so that every run is visited once.
 */
const closingsOf = (runs: readonly { index: number; length: number }[]): (number | undefined)[] => {
  const seen = new Map<number, number>()
  const closings = runs.toReversed().map(({ index, length }) => {
    const next = seen.get(length)
    seen.set(length, index)
    return next === undefined ? undefined : next + length
  })
  return closings.toReversed()
}
