import { parseWord } from '../parse-word.ts'
import type { Assignment, SimpleCommand, Word } from '../syntax.ts'
import type { Parser } from './parser.ts'
import { readRedirect } from './read-redirect.ts'

const ASSIGNMENT = /([A-Za-z_][A-Za-z0-9_]*)(\[[^\]\s]*\])?(\+?)=/y

/** A program with its words, in front of and behind which assignments and redirections may stand. */
export const readSimple = (parser: Parser): SimpleCommand => {
  const { cursor } = parser
  const start = cursor.position
  const command: SimpleCommand = {
    kind: 'simple',
    assignments: [],
    words: [],
    redirects: [],
    start,
    end: start,
  }
  for (;;) {
    cursor.skipBlanks()
    const redirect = readRedirect(parser)
    if (redirect !== undefined) command.redirects.push(redirect)
    else if (!readAssignment(parser, command)) {
      const word = parseWord(cursor, parser.readers)
      if (word === undefined) break
      command.words.push(word)
    }
    command.end = cursor.position
  }
  if (command.end === start)
    throw cursor.error(`${cursor.peek() || 'the end'} is not expected here`)
  return command
}

/** An assignment in front of the program, or an argument of `export` and the like. */
const readAssignment = (parser: Parser, command: SimpleCommand): boolean => {
  const { cursor } = parser
  const start = cursor.position
  if (command.words.length > 0 && !isDeclaration(command.words[0], cursor.text)) return false
  const head = cursor.match(ASSIGNMENT)
  if (head === undefined) return false
  const name = /^\w+/.exec(head)?.[0] ?? ''
  const assignment: Assignment = {
    name,
    subscript: /\[.*\]/s.exec(head)?.[0] ?? '',
    append: head.endsWith('+='),
    values: [],
    start,
    end: cursor.position,
  }
  if (cursor.peek() === '(') {
    cursor.take()
    parser.skipLines()
    while (cursor.peek() !== ')') {
      cursor.match(/\[[^\]\s]*\]=/y)
      const word = parseWord(cursor, parser.readers)
      if (word === undefined) throw cursor.error('an array is not closed')
      assignment.values.push(word)
      parser.skipLines()
    }
    cursor.take()
  } else {
    const at = cursor.position
    assignment.values.push(parseWord(cursor, parser.readers) ?? { parts: [], start: at, end: at })
  }
  assignment.end = cursor.position
  command.assignments.push(assignment)
  return true
}

const isDeclaration = (word: Word | undefined, text: string): boolean =>
  word !== undefined &&
  /^(export|declare|typeset|local|readonly)$/.test(text.slice(word.start, word.end))
