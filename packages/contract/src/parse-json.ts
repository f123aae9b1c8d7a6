import { reasonOf, StewardError } from './errors.ts'
import { formatPath } from './issues.ts'
import { fail, ok, type Result } from './result.ts'
import { scanJson } from './scan-json.ts'

/** A position in a text, counted from 1; columns count characters, not bytes. */
export interface TextPosition {
  line: number
  column: number
}

/**
 * Parses JSON that a person wrote. Errors show line, column and the line itself with a caret. A
 * leading byte order mark is ignored.
 */
export const parseJson = (text: string, subject: string): Result<unknown> => {
  const body = withoutMark(text)
  try {
    const value: unknown = JSON.parse(body)
    return ok(value)
  } catch (thrown) {
    const fault = scanJson(body)
    if (fault === undefined) {
      return fail(new StewardError('invalid_json', { subject, reason: reasonOf(thrown) }, thrown))
    }
    const { line, column } = positionAt(body, fault.offset)
    const reason = `${fault.reason} at line ${line}, column ${column}\n${snippet(body, fault.offset)}`
    return fail(new StewardError('invalid_json', { subject, reason, line, column }, thrown))
  }
}

/** The position of each member and element of a JSON text, by path (`a.b[0]`). */
export const positionsOfJson = (text: string): Map<string, TextPosition> => {
  const body = withoutMark(text)
  const positions = new Map<string, TextPosition>()
  scanJson(body, (path, offset) => positions.set(formatPath(path), positionAt(body, offset)))
  return positions
}

export const positionAt = (text: string, offset: number): TextPosition => {
  const before = text.slice(0, offset)
  const lineStart = lastBreak(before)
  return {
    line: before.split(LINE_BREAK).length,
    column: [...before.slice(lineStart)].length + 1,
  }
}

const LINE_BREAK = /\r\n|\n|\r/
const SNIPPET_CHARS = 30

const withoutMark = (text: string): string => (text.startsWith('\uFEFF') ? text.slice(1) : text)

const lastBreak = (before: string): number =>
  Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1

const snippet = (text: string, offset: number): string => {
  const left = [...text.slice(lastBreak(text.slice(0, offset)), offset)]
  const right = [...(text.slice(offset).split(LINE_BREAK)[0] ?? '')]
  const shownLeft = left.length > SNIPPET_CHARS ? ['…', ...left.slice(-SNIPPET_CHARS)] : left
  const shownRight = right.length > SNIPPET_CHARS ? [...right.slice(0, SNIPPET_CHARS), '…'] : right
  const line = [...shownLeft, ...shownRight].map((char) => (char < ' ' ? ' ' : char)).join('')
  return `  ${line}\n  ${' '.repeat(shownLeft.length)}^`
}
