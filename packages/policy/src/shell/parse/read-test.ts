import { parseWord } from '../parse-word.ts'
import type { Word } from '../syntax.ts'
import type { Parser } from './parser.ts'

/** Inside `[[ … ]]` the usual separators are operators. */
export const readTest = (parser: Parser): Word[] => {
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
