import { parseWord } from '../parse-word.ts'
import type { Redirect } from '../syntax.ts'
import type { Parser } from './parser.ts'

const REDIRECT = /(\d*|\{\w+\})(<<<|<<-|<<|<>|<&|>>|>\||>&|&>>|&>|<|>)/y

/** Parses a redirection; undefined if there is none. */
export const readRedirect = (parser: Parser): Redirect | undefined => {
  const { cursor } = parser
  const start = cursor.position
  if (/[<>]/.test(cursor.peek()) && cursor.peek(1) === '(') return undefined
  const head = cursor.match(REDIRECT)
  if (head === undefined) return undefined
  const operator = /[<>&|-]+$/.exec(head)?.[0] ?? head
  cursor.skipBlanks()
  const target = parseWord(cursor, parser.readers)
  if (target === undefined) throw cursor.error(`${operator} has no target`)
  const redirect: Redirect = {
    operator,
    descriptor: head.slice(0, head.length - operator.length),
    target,
    start,
    end: cursor.position,
  }
  if (operator === '<<' || operator === '<<-') {
    const delimiter = target.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')
    const quoted = target.parts.some((part) => part.kind === 'text' && part.quoted)
    parser.await(redirect, { delimiter, quoted, dashed: operator === '<<-' })
  }
  return redirect
}
