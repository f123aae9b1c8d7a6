import { parseJson } from './parse-json.ts'
import type { Result } from './result.ts'

/** JSON with comments. Errors keep their line and column. */
export const parseJsonc = (text: string, subject: string): Result<unknown> =>
  parseJson(blankComments(text), subject)

/** The text with blanks in place of its comments: everything else stays where it is. */
export const blankComments = (text: string): string =>
  text.replace(STRING_OR_COMMENT, (match) =>
    isComment(match) ? match.replace(/[^\n]/g, ' ') : match,
  )

/**
 * Strings are matched first, so that `//` inside a string is not taken for a comment. What does not
 * end is matched to the end of the text, so that it is read once.
 */
const STRING_OR_COMMENT = /"(?:[^"\\]|\\.)*"?|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g

const isComment = (match: string): boolean =>
  match.startsWith('//') || (match.startsWith('/*') && match.endsWith('*/') && match.length > 3)
