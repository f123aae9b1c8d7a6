/** The positions of a note's parts. */
export interface SplitNote {
  /** The lines between the fences; undefined without frontmatter. */
  head?: { text: string; start: number; end: number }
  /** The start of the body. */
  bodyStart: number
  /** Its line ending. */
  eol: '\n' | '\r\n'
  fault?: string
}

const OPENING = /^\uFEFF?---[ \t]*(\r?\n)/
const CLOSING = /^---[ \t]*(?:\r?\n|$)/my

/** Finds the frontmatter between `---` lines at the start. */
export const splitNote = (text: string): SplitNote => {
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
  return { bodyStart: 0, eol, fault: 'its frontmatter begins with --- and never ends' }
}
