import type { CompoundCommand } from '../syntax.ts'
import type { Bare, Parser } from './parser.ts'

const FUNCTION_NAME = /([^\s;&|()<>$'"`\\={}]+|:)[ \t]*\([ \t]*\)/y

/** Parses `function name …`, after the keyword. */
export const readNamedFunction = (parser: Parser): Bare<CompoundCommand> => {
  const { cursor } = parser
  cursor.skipBlanks()
  const name = cursor.match(/[^\s;&|()<>$'"`\\={}]+/y)
  if (name === undefined) throw cursor.error('function has no name')
  cursor.match(/[ \t]*\([ \t]*\)/y)
  parser.skipLines()
  return { kind: 'function', name, body: parser.cursor.nested(() => parser.readCommand()) }
}

/** Parses `name() …`; undefined if there is no declaration. */
export const readFunction = (parser: Parser, start: number): CompoundCommand | undefined => {
  const { cursor } = parser
  const header = cursor.match(FUNCTION_NAME)
  if (header === undefined) return undefined
  parser.skipLines()
  const body = cursor.nested(() => parser.readCommand())
  const name = header.replace(/[ \t]*\([ \t]*\)$/, '')
  return { kind: 'function', name, body, redirects: [], start, end: cursor.position }
}
