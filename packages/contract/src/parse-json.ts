import { reasonOf, StewardError } from './errors.ts'
import { formatPath, parentPath } from './issues.ts'
import { isJsonDeeperThan } from './json-depth.ts'
import { LIMITS } from './limits.ts'
import { fail, ok, type Result } from './result.ts'
import { scanJson } from './scan-json.ts'

/** A position in a text, counted from 1; columns count characters, not bytes. */
export interface TextPosition {
  line: number
  column: number
}

/**
 * Parses JSON from outside. Errors show line, column and the line itself with a caret. A leading
 * byte order mark is ignored. Deeper nesting than `levels` is refused, because
 * walking or serialising the value would overflow the stack.
 */
export const parseJson = (
  text: string,
  subject: string,
  levels: number = LIMITS.storedJsonDepth,
): Result<unknown> => {
  const body = withoutMark(text)
  try {
    const value: unknown = JSON.parse(body)
    if (!isJsonDeeperThan(body, levels)) return ok(value)
    const reason = `it nests deeper than ${levels} levels`
    return fail(new StewardError('invalid_json', { subject, reason }))
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
  let seen = 0
  let line = 1
  let column = 1
  scanJson(body, (path, offset) => {
    // The walk only goes forward, so each character is counted once.
    const between = body.slice(seen, offset)
    const breaks = between.split(LINE_BREAK).length - 1
    if (breaks > 0) column = 1
    line += breaks
    column += countPoints(between, lastBreak(between), between.length)
    seen = offset
    positions.set(formatPath(path), { line, column })
  })
  return positions
}

/**
 * The line of a path in a JSON text; for a missing field, the line of the object that should have
 * it. The text is scanned when the first line is looked up.
 */
export const lineInJson = (text: string): ((path: string) => number | undefined) => {
  let positions: ReadonlyMap<string, TextPosition> | undefined
  return (path) => {
    positions ??= positionsOfJson(text)
    for (let at: string | undefined = path; at !== undefined; at = parentPath(at)) {
      const found = positions.get(at)
      if (found !== undefined) return found.line
    }
    return undefined
  }
}

export const positionAt = (text: string, offset: number): TextPosition => {
  const before = text.slice(0, offset)
  return {
    line: before.split(LINE_BREAK).length,
    column: countPoints(text, lastBreak(before), offset) + 1,
  }
}

/** Counts without an array of them, because a line may have millions. */
const countPoints = (text: string, from: number, to: number): number => {
  let count = 0
  for (let at = from; at < to; count++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
  return count
}

const LINE_BREAK = /\r\n|\n|\r/
const SNIPPET_CHARS = 30

const withoutMark = (text: string): string => (text.startsWith('\uFEFF') ? text.slice(1) : text)

const lastBreak = (before: string): number =>
  Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1

const snippet = (text: string, offset: number): string => {
  // Twice as much as is shown, because a character may have two units.
  const reach = SNIPPET_CHARS * 2 + 2
  const before = text.slice(Math.max(0, offset - reach), offset)
  const left = [...before.slice(lastBreak(before))]
  const right = [...(text.slice(offset, offset + reach).split(LINE_BREAK)[0] ?? '')]
  const shownLeft = left.length > SNIPPET_CHARS ? ['…', ...left.slice(-SNIPPET_CHARS)] : left
  const shownRight = right.length > SNIPPET_CHARS ? [...right.slice(0, SNIPPET_CHARS), '…'] : right
  const line = [...shownLeft, ...shownRight].map((char) => (char < ' ' ? ' ' : char)).join('')
  return `  ${line}\n  ${' '.repeat(shownLeft.length)}^`
}
