import { parseWord, tryArithmetic } from '../parse-word.ts'
import type { CompoundCommand, Script, Word } from '../syntax.ts'
import type { Bare, Parser } from './parser.ts'

/** Parses the body of a loop: `do … done`, or braces. */
export const readLoopBody = (parser: Parser): Script => {
  parser.skipLines()
  if (parser.peekReserved() === '{') {
    parser.expect('{')
    const body = parser.readScript(() => false)
    parser.expect('}')
    return body
  }
  parser.expect('do')
  const body = parser.readScript(() => false)
  parser.expect('done')
  return body
}

/** Parses `for` and `select`: with a list, without one, or with a counter. */
export const readFor = (parser: Parser): Bare<CompoundCommand> => {
  const { cursor } = parser
  cursor.skipBlanks()
  if (cursor.startsWith('((')) {
    tryArithmetic(cursor, parser.readers)
    skipSeparator(parser)
    return { kind: 'for', name: '', words: [], body: readLoopBody(parser) }
  }
  const name = cursor.match(/[A-Za-z_][A-Za-z0-9_]*/y)
  if (name === undefined) throw cursor.error('for has no variable')
  parser.skipLines()
  if (cursor.match(/in(?=[\s;])/y) === undefined) {
    skipSeparator(parser)
    return { kind: 'for', name, body: readLoopBody(parser) }
  }
  const words = readWords(parser)
  skipSeparator(parser)
  return { kind: 'for', name, words, body: readLoopBody(parser) }
}

const skipSeparator = (parser: Parser): void => {
  parser.cursor.skipBlanks()
  if (parser.cursor.peek() === ';') parser.cursor.take()
}

const readWords = (parser: Parser): Word[] => {
  const words: Word[] = []
  for (;;) {
    parser.cursor.skipBlanks()
    const word = parseWord(parser.cursor, parser.readers)
    if (word === undefined) return words
    words.push(word)
  }
}
