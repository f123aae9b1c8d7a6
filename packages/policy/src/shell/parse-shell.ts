import { Cursor, ShellSyntaxError } from './cursor.ts'
import { HereDocuments } from './parse/here-documents.ts'
import { CLOSERS, type Parser } from './parse/parser.ts'
import { readCommand, readPipeline } from './parse/read-command.ts'
import type { Script } from './syntax.ts'

export type ParsedScript =
  | { ok: true; script: Script }
  | { ok: false; message: string; offset: number }

/**
 * Parses a command line by the grammar of POSIX shells and bash. This parser is our own because the
 * packaged one omits the parts of commands and takes longer to load than a hook may.
 */
export const parseShell = (text: string, depth = 0): ParsedScript => {
  try {
    return { ok: true, script: parseText(text, depth) }
  } catch (thrown) {
    if (thrown instanceof ShellSyntaxError) {
      return { ok: false, message: thrown.message, offset: thrown.offset }
    }
    throw thrown
  }
}

const parseText = (text: string, depth: number): Script => {
  const cursor = new Cursor(text, depth)
  const script = createParser(cursor).readScript(() => false)
  if (!cursor.done) throw cursor.error(`${cursor.peek()} is not expected here`)
  return script
}

const RESERVED =
  /(?:if|then|elif|else|fi|while|until|do|done|for|select|case|esac|function|time|\{|\}|!|\[\[|coproc)(?=[\s;&|()<>]|$)/y

const createParser = (cursor: Cursor): Parser => {
  const documents = new HereDocuments()
  const parser: Parser = {
    cursor,
    readers: {
      inParentheses: (own) => {
        // Expansions inside an expression or a here-document are parsed on a separate cursor.
        if (own !== cursor) return createParser(own).readers.inParentheses(own)
        const script = parser.readScript(() => cursor.peek() === ')')
        if (cursor.take() !== ')') throw cursor.error('( is not closed')
        return script
      },
      ofText: parseText,
    },
    readScript: (isEnd) => readScript(parser, isEnd),
    readCommand: () => readCommand(parser),
    skipLines: () => {
      for (;;) {
        cursor.skipBlanks()
        if (cursor.peek() !== '\n') return
        cursor.take()
        documents.read(cursor, parser.readers)
      }
    },
    peekReserved: () => {
      const before = cursor.position
      const word = cursor.match(RESERVED)
      cursor.position = before
      return word
    },
    expect: (word) => {
      parser.skipLines()
      if (parser.peekReserved() !== word) throw cursor.error(`${word} is missing`)
      cursor.take(word.length)
    },
    await: (redirect, end) => documents.await(redirect, end),
  }
  return parser
}

const readScript = (parser: Parser, isEnd: () => boolean): Script => {
  const { cursor } = parser
  const script: Script = { source: cursor.text, items: [] }
  const endsArm = () => cursor.startsWith(';;') || cursor.startsWith(';&')
  const closes = () => CLOSERS.has(parser.peekReserved() ?? '')
  for (;;) {
    parser.skipLines()
    if (cursor.done || isEnd() || closes() || endsArm()) return script
    const command = cursor.nested(() => readPipeline(parser))
    cursor.skipBlanks()
    const connector = endsArm() ? undefined : readConnector(parser)
    script.items.push({ command, connector: connector ?? ';' })
    if (connector !== undefined || cursor.done || isEnd() || closes()) continue
    if (endsArm()) return script
    throw cursor.error(`${cursor.peek()} is not expected here`)
  }
}

const readConnector = ({ cursor, skipLines }: Parser): ';' | '&' | '&&' | '||' | undefined => {
  for (const connector of ['&&', '||', '&', ';'] as const) {
    if (!cursor.startsWith(connector)) continue
    cursor.take(connector.length)
    return connector
  }
  if (cursor.peek() !== '\n') return undefined
  skipLines()
  return ';'
}
