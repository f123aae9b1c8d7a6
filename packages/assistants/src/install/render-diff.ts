/** Lines of context around a change. */
const CONTEXT_LINES = 3

/** The difference of two texts, as lines with `-` and `+` and some context. */
export const renderDiff = (before: string | undefined, after: string | undefined): string => {
  const [old, next] = [linesOf(before), linesOf(after)]
  let start = 0
  while (start < old.length && start < next.length && old[start] === next[start]) start++
  let end = 0
  while (
    end < old.length - start &&
    end < next.length - start &&
    old[old.length - 1 - end] === next[next.length - 1 - end]
  ) {
    end++
  }
  const shown = [
    ...mark(' ', old.slice(Math.max(0, start - CONTEXT_LINES), start)),
    ...mark('-', old.slice(start, old.length - end)),
    ...mark('+', next.slice(start, next.length - end)),
    ...mark(' ', next.slice(next.length - end, next.length - end + CONTEXT_LINES)),
  ]
  return shown.map((line) => `${line}\n`).join('')
}

const linesOf = (text: string | undefined): string[] =>
  text === undefined || text === '' ? [] : text.replace(/\n$/, '').split('\n')

const mark = (sign: string, lines: readonly string[]): string[] =>
  lines.map((line) => `${sign} ${line}`)
