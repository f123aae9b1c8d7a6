import { isJsonObject } from '@steward/contract'
import { objectIn, parseRow, textIn } from '../usage/json-lines.ts'

const USER_ROW = Buffer.from('"type":"user"')
const NEWLINE = 0x0a
/** Results of tools are rows of the user, too. */
const MOST_ROWS = 8
/** A longer row is the result of a tool. */
const MOST_BYTES = 64 * 1024
const TITLE_CHARS = 80

/** A session by the first line of its first prompt. */
export const findTitle = (bytes: Buffer): { session: string; title: string } | undefined => {
  let from = 0
  for (let rows = 0; rows < MOST_ROWS; rows++) {
    const at = bytes.indexOf(USER_ROW, from)
    if (at === -1) return undefined
    const start = bytes.lastIndexOf(NEWLINE, at) + 1
    const next = bytes.indexOf(NEWLINE, at)
    const end = next === -1 ? bytes.length : next
    from = end
    if (end - start > MOST_BYTES) continue
    const row = parseRow(bytes.toString('utf8', start, end))
    if (row === undefined || row.type !== 'user' || SKIPPED.some((key) => row[key] === true))
      continue
    const session = textIn(row, 'sessionId')
    const title = firstLineOf(objectIn(row, 'message')?.content)
    if (session !== undefined && title !== '') return { session, title }
  }
  return undefined
}

/** Rows that Claude Code writes in the name of the person. */
const SKIPPED = ['isMeta', 'isSidechain', 'isCompactSummary']

const firstLineOf = (content: unknown): string => {
  const parts: unknown[] = Array.isArray(content) ? content : [content]
  for (const part of parts) {
    const text = isJsonObject(part) && part.type === 'text' ? part.text : part
    // Commands of Claude Code and their output are in elements.
    if (typeof text !== 'string' || text.trimStart().startsWith('<')) continue
    const [line = ''] = text.trim().split('\n')
    if (line !== '') return line.slice(0, TITLE_CHARS)
  }
  return ''
}
