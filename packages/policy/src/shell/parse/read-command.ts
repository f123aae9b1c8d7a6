import type { Command, Redirect } from '../syntax.ts'
import type { Parser } from './parser.ts'
import { readCompound } from './read-compound.ts'
import { readFunction } from './read-function.ts'
import { readRedirect } from './read-redirect.ts'
import { readSimple } from './read-simple.ts'

/** Parses commands joined by `|`, or a single command. */
export const readPipeline = (parser: Parser): Command => {
  const { cursor } = parser
  const start = cursor.position
  for (
    let word = parser.peekReserved();
    word === '!' || word === 'time';
    word = parser.peekReserved()
  ) {
    cursor.take(word.length)
    cursor.skipBlanks()
    if (word === 'time') cursor.match(/-p\s+/y)
  }
  const commands = [parser.readCommand()]
  for (;;) {
    cursor.skipBlanks()
    if (!cursor.startsWith('|') || cursor.startsWith('||')) break
    cursor.take(cursor.startsWith('|&') ? 2 : 1)
    parser.skipLines()
    commands.push(parser.readCommand())
  }
  const [only] = commands
  if (commands.length === 1 && only !== undefined) return only
  return { kind: 'pipeline', commands, redirects: [], start, end: cursor.position }
}

/** Parses one command with its redirections. */
export const readCommand = (parser: Parser): Command => {
  const { cursor } = parser
  cursor.skipBlanks()
  const start = cursor.position
  const word = parser.peekReserved()
  if (word === 'coproc') {
    cursor.take(word.length)
    return cursor.nested(() => parser.readCommand())
  }
  const compound = readCompound(parser, word)
  if (compound === undefined) return readFunction(parser, start) ?? readSimple(parser)
  const redirects: Redirect[] = []
  for (;;) {
    cursor.skipBlanks()
    const redirect = readRedirect(parser)
    if (redirect === undefined) break
    redirects.push(redirect)
  }
  return { ...compound, redirects, start, end: cursor.position }
}
