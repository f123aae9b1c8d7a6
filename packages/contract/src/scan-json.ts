/** Where and why a text is not valid JSON. `offset` counts UTF-16 units. */
export interface JsonFault {
  offset: number
  reason: string
}

type Frame = { kind: 'object' | 'array'; openedAt: number; key: string; index: number }

/**
 * Walks JSON text by the standard's grammar without building values; reports the first fault and
 * the offset of every member and element. It uses an explicit stack, so deep nesting cannot
 * overflow it.
 */
export const scanJson = (
  text: string,
  onValue?: (path: ReadonlyArray<string | number>, offset: number) => void,
): JsonFault | undefined => {
  const frames: Frame[] = []
  const path = () => frames.map((frame) => (frame.kind === 'object' ? frame.key : frame.index))
  let at = skipSpace(text, 0)
  let expects: 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'comma-or-end' = 'value'

  for (;;) {
    at = skipSpace(text, at)
    const frame = frames.at(-1)
    const char = text[at]

    if (expects === 'comma-or-end') {
      if (frame === undefined) {
        return at >= text.length
          ? undefined
          : fault(at, `unexpected ${show(text, at)} after the end`)
      }
      if (char === closerOf(frame)) {
        frames.pop()
        at++
        continue
      }
      if (char !== ',') return missingComma(text, at, frame)
      at++
      expects = frame.kind === 'object' ? 'key' : 'value'
      frame.index++
      continue
    }

    if (expects === 'key' || expects === 'key-or-end') {
      if (frame === undefined) return fault(at, 'a key outside of an object')
      if (char === '}') {
        if (expects === 'key') return fault(at, 'a comma before } is not allowed')
        frames.pop()
        at++
        expects = 'comma-or-end'
        continue
      }
      if (char !== '"') return wrongKey(text, at, frame)
      const key = scanString(text, at)
      if ('reason' in key) return key
      frame.key = decodeKey(text.slice(at, key.end))
      const keyAt = at
      at = skipSpace(text, key.end)
      if (text[at] !== ':') {
        return fault(at, `expected : after the key, found ${show(text, at)}`)
      }
      onValue?.(path(), keyAt)
      at++
      expects = 'value'
      continue
    }

    if (char === ']' && frame?.kind === 'array') {
      if (expects === 'value') return fault(at, 'a comma before ] is not allowed')
      frames.pop()
      at++
      expects = 'comma-or-end'
      continue
    }
    if (frame?.kind === 'array') onValue?.(path(), at)
    if (char === '{' || char === '[') {
      frames.push({ kind: char === '{' ? 'object' : 'array', openedAt: at, key: '', index: 0 })
      at++
      expects = char === '{' ? 'key-or-end' : 'value-or-end'
      continue
    }
    const scalar = scanScalar(text, at, frame)
    if ('reason' in scalar) return scalar
    at = scalar.end
    expects = 'comma-or-end'
  }
}

type Scanned = { end: number } | JsonFault

const fault = (offset: number, reason: string): JsonFault => ({ offset, reason })

const closerOf = (frame: Frame): string => (frame.kind === 'object' ? '}' : ']')

const skipSpace = (text: string, from: number): number => {
  let at = from
  while (at < text.length && ' \t\n\r'.includes(text.charAt(at))) at++
  return at
}

const show = (text: string, at: number): string => {
  const point = text.codePointAt(at)
  if (point === undefined) return 'the end of the text'
  return point < 0x20 ? `control character ${hexOf(point)}` : String.fromCodePoint(point)
}

const hexOf = (point: number): string => `U+${point.toString(16).toUpperCase().padStart(4, '0')}`

const decodeKey = (quoted: string): string => {
  const key: unknown = JSON.parse(quoted)
  return typeof key === 'string' ? key : ''
}

const unclosed = (text: string, frame: Frame): JsonFault =>
  fault(text.length, `the text ends before the ${frame.kind} is closed with ${closerOf(frame)}`)

const missingComma = (text: string, at: number, frame: Frame): JsonFault => {
  if (at >= text.length) return unclosed(text, frame)
  if (isComment(text, at)) return fault(at, 'comments are not allowed')
  return fault(at, `expected , or ${closerOf(frame)}, found ${show(text, at)}`)
}

const wrongKey = (text: string, at: number, frame: Frame): JsonFault => {
  if (at >= text.length) return unclosed(text, frame)
  if (isComment(text, at)) return fault(at, 'comments are not allowed')
  return fault(at, `expected a key in double quotes, found ${show(text, at)}`)
}

const isComment = (text: string, at: number): boolean =>
  text.startsWith('//', at) || text.startsWith('/*', at) || text[at] === '#'

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

const scanScalar = (text: string, at: number, frame: Frame | undefined): Scanned => {
  const char = text[at]
  if (char === undefined) {
    return frame === undefined || frame.index > 0 || frame.kind === 'object'
      ? fault(at, 'the text ends where a value should be')
      : unclosed(text, frame)
  }
  if (char === '"') return scanString(text, at)
  if (char === "'") return fault(at, 'strings need double quotes, found a single quote')
  if (isComment(text, at)) return fault(at, 'comments are not allowed')
  if (char === '-' || (char >= '0' && char <= '9')) return scanNumber(text, at)
  // Created here, because a start would pay for its table of letters.
  const pattern = /[\p{L}_$][\p{L}\p{N}_$]*/uy
  pattern.lastIndex = at
  const word = pattern.exec(text)?.[0]
  if (word === undefined) return fault(at, `expected a value, found ${show(text, at)}`)
  if (word === 'true' || word === 'false' || word === 'null') return { end: at + word.length }
  return fault(at, `expected a value, found ${word.slice(0, 40)}`)
}

const scanNumber = (text: string, at: number): Scanned => {
  NUMBER.lastIndex = at
  const number = NUMBER.exec(text)?.[0]
  const end = at + (number?.length ?? 0)
  const next = text.charAt(end)
  if (number === undefined || /[\w.+-]/.test(next)) {
    const reason = next === '' ? 'the number is cut short' : `not a number as JSON writes it`
    return fault(end, reason)
  }
  return { end }
}

const scanString = (text: string, from: number): Scanned => {
  for (let at = from + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x22) return { end: at + 1 }
    if (unit < 0x20) {
      const name = unit === 0x0a || unit === 0x0d ? 'a line break' : `the character ${hexOf(unit)}`
      return fault(at, `${name} must be escaped inside a string`)
    }
    if (unit !== 0x5c) continue
    const escaped = text.charAt(at + 1)
    if (escaped === '') return fault(text.length, 'the text ends inside a string')
    if (escaped === 'u' && !/^[\da-fA-F]{4}/.test(text.slice(at + 2, at + 6))) {
      return fault(at, 'an escape \\u needs four hexadecimal digits')
    }
    if (!'"\\/bfnrtu'.includes(escaped))
      return fault(at, `there is no escape \\${show(text, at + 1)}`)
    at++
  }
  return fault(text.length, 'the text ends before the string is closed with "')
}
