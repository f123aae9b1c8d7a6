import { parseWord, tryArithmetic } from '../parse-word.ts'
import type { CompoundCommand, Word } from '../syntax.ts'
import { type Bare, CLOSERS, type Parser } from './parser.ts'
import { readCase, readIf } from './read-choice.ts'
import { readNamedFunction } from './read-function.ts'
import { readFor, readLoopBody } from './read-loop.ts'

/** Parses a compound command by its first keyword or bracket; undefined for a simple command. */
export const readCompound = (
  parser: Parser,
  word: string | undefined,
): Bare<CompoundCommand> | undefined => {
  const { cursor } = parser
  if (cursor.startsWith('((')) {
    const part = tryArithmetic(cursor, parser.readers)
    if (part?.kind === 'arithmetic') return { kind: 'arithmetic', parts: part.parts }
  }
  if (cursor.peek() === '(') {
    cursor.take()
    return { kind: 'block', subshell: true, body: parser.readers.inParentheses(cursor) }
  }
  if (word === undefined) return undefined
  if (CLOSERS.has(word)) throw cursor.error(`${word} is not expected here`)
  cursor.take(word.length)
  switch (word) {
    case '{': {
      const body = parser.readScript(() => false)
      parser.expect('}')
      return { kind: 'block', subshell: false, body }
    }
    case 'if':
      return readIf(parser)
    case 'while':
    case 'until': {
      const test = parser.readScript(() => false)
      return { kind: 'while', test, body: readLoopBody(parser) }
    }
    case 'for':
    case 'select':
      return readFor(parser)
    case 'case':
      return readCase(parser)
    case 'function':
      return readNamedFunction(parser)
    case '[[':
      return { kind: 'test', words: readTest(parser) }
    default:
      return undefined
  }
}

/** Inside `[[ … ]]`, the usual separators are operators. */
const readTest = (parser: Parser): Word[] => {
  const { cursor } = parser
  const words: Word[] = []
  for (;;) {
    parser.skipLines()
    if (cursor.done) throw cursor.error('[[ is not closed')
    if (cursor.match(/\]\](?=[\s;&|)<>]|$)/y) !== undefined) return words
    if (cursor.match(/&&|\|\||[()<>|&;]/y) !== undefined) continue
    const word = parseWord(cursor, parser.readers)
    if (word === undefined) throw cursor.error(`${cursor.peek()} is not expected here`)
    words.push(word)
  }
}
