import { parseWord } from '../parse-word.ts'
import type { CompoundCommand, Script, Word } from '../syntax.ts'
import type { Bare, Parser } from './parser.ts'

/** Parses `if` with all its branches. */
export const readIf = (parser: Parser): Bare<CompoundCommand> => {
  const branches: { test: Script; body: Script }[] = []
  for (;;) {
    const test = parser.readScript(() => false)
    parser.expect('then')
    branches.push({ test, body: parser.readScript(() => false) })
    parser.skipLines()
    if (parser.peekReserved() !== 'elif') break
    parser.expect('elif')
  }
  if (parser.peekReserved() !== 'else') {
    parser.expect('fi')
    return { kind: 'if', branches }
  }
  parser.expect('else')
  const otherwise = parser.readScript(() => false)
  parser.expect('fi')
  return { kind: 'if', branches, otherwise }
}

/** Parses `case` with all its arms. */
export const readCase = (parser: Parser): Bare<CompoundCommand> => {
  const { cursor } = parser
  cursor.skipBlanks()
  const word = parseWord(cursor, parser.readers)
  if (word === undefined) throw cursor.error('case has no word')
  parser.skipLines()
  if (cursor.match(/in(?=\s)/y) === undefined) throw cursor.error('in is missing')
  const arms: { patterns: Word[]; body: Script }[] = []
  for (;;) {
    parser.skipLines()
    if (parser.peekReserved() === 'esac') break
    cursor.match(/\(/y)
    const patterns: Word[] = []
    for (;;) {
      cursor.skipBlanks()
      const pattern = parseWord(cursor, parser.readers)
      if (pattern === undefined) throw cursor.error('a pattern is missing')
      patterns.push(pattern)
      cursor.skipBlanks()
      if (cursor.take() === ')') break
    }
    arms.push({ patterns, body: parser.readScript(() => false) })
    cursor.match(/;;&|;;|;&/y)
  }
  parser.expect('esac')
  return { kind: 'case', word, arms }
}
