import { parseJson } from './parse-json.ts'
import type { Result } from './result.ts'

/** JSON with comments. Errors keep their line and column. */
export const parseJsonc = (text: string, subject: string): Result<unknown> =>
  parseJson(blankComments(text), subject)

/** The text with blanks in place of its comments: everything else stays where it is. */
export const blankComments = (text: string): string =>
  text.replace(STRING_OR_COMMENT, (match) =>
    match.startsWith('"') ? match : match.replace(/[^\n]/g, ' '),
  )

/** Strings are matched first, so that `//` inside a string is not taken for a comment. */
const STRING_OR_COMMENT = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g
