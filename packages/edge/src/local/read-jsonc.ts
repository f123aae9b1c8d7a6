import { parseJson, type Result } from '@steward/contract'

/** JSON with comments, as wrangler's configuration files are; columns in messages stay right. */
export const readJsonc = (text: string, subject: string): Result<unknown> =>
  parseJson(text.replace(STRING_OR_COMMENT, blankComment), subject)

/** A string is matched first, so that `//` inside of one is no comment. */
const STRING_OR_COMMENT = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g

const blankComment = (match: string): string =>
  match.startsWith('"') ? match : match.replace(/[^\n]/g, ' ')
