/** Where the parts of a Markdown text are. */
export interface SplitFrontMatter {
  /** The lines between the fences; nothing when there are none. */
  head?: { text: string; start: number; end: number }
  /** The start of the body. */
  bodyStart: number
  /** Its line ending. */
  eol: '\n' | '\r\n'
  fault?: string
}

const OPENING = /^\uFEFF?---[ \t]*(\r?\n)/
const CLOSING = /^---[ \t]*(?:\r?\n|$)/my

/** Finds the front matter: what stands between `---` lines at the very top. */
export const splitFrontMatter = (text: string): SplitFrontMatter => {
  const eol = /\r?\n/.exec(text.slice(0, 4096))?.[0] === '\r\n' ? '\r\n' : '\n'
  const opening = OPENING.exec(text)
  if (opening === null) return { bodyStart: text.startsWith('\uFEFF') ? 1 : 0, eol }
  const start = opening[0].length
  for (let at = start; at <= text.length; ) {
    CLOSING.lastIndex = at
    const closing = CLOSING.exec(text)
    if (closing !== null) {
      const head = { text: text.slice(start, at), start, end: at }
      return { head, bodyStart: at + closing[0].length, eol }
    }
    const next = text.indexOf('\n', at)
    if (next === -1) break
    at = next + 1
  }
  return { bodyStart: 0, eol, fault: 'its frontmatter never ends (---)' }
}
