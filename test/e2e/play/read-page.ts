/** The output that a page shows directly below a shell block. */
export interface Shown {
  line: number
  language: 'json' | 'text'
  text: string
}

/** A shell block of a page. */
export interface Block {
  line: number
  script: string
  /** Why it cannot be run here; such a block is not played. */
  notRun?: string
  /** It runs until it is stopped: the next block follows when it has printed this text. */
  readyAt?: string
  /** It asks at a terminal, and the person answers this. */
  answer?: string
  shown?: Shown
}

const FENCE = /^( *)```(?:sh|bash|shell)([^\n`]*)\n(.*?)^ *```$/gms
/** Directly below a shell block; a sentence between them makes it a file or an example. */
const OUTPUT = /\n\n *```(text|json)?\n(.*?)^ *```$/msy
const NOT_RUN = /^ not run: (\S.*)$/
const ASKS = /^ asks: (\S+)$/
const KEEPS_RUNNING = /^ keeps running: (\S.*)$/

/** The shell blocks of a page in their order, with the marks behind their language. */
export const readBlocks = (page: string): Block[] =>
  [...page.matchAll(FENCE)].map(
    ({ 0: whole, 1: indent = '', 2: mark = '', 3: body = '', index }) => {
      const line = page.slice(0, index).split('\n').length
      const script = body.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
      const [, notRun] = NOT_RUN.exec(mark) ?? []
      const [, readyAt] = KEEPS_RUNNING.exec(mark) ?? []
      const [, answer] = ASKS.exec(mark) ?? []
      if (mark !== '' && (notRun ?? readyAt ?? answer) === undefined) {
        throw new Error(`line ${line}: unknown mark "${mark.trim()}" of a shell block`)
      }
      const shown = readShown(page, index + whole.length)
      return { line, script, notRun, readyAt, answer, shown }
    },
  )

const readShown = (page: string, index: number): Shown | undefined => {
  OUTPUT.lastIndex = index
  const found = OUTPUT.exec(page)
  if (found === null) return undefined
  const line = page.slice(0, index).split('\n').length + 2
  return { line, language: found[1] === 'json' ? 'json' : 'text', text: found[2] ?? '' }
}
