import type { JsonObject } from '@steward/contract'

/** The members of a row that are read: a whole value, or members of an object. */
export interface Wanted {
  readonly [name: string]: true | Wanted
}

interface Member {
  name: string
  bytes: Buffer
  members: readonly Member[] | undefined
  /** The text that it had last, which is often what it has again. */
  last: string
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const MINUS = 0x2d
const ZERO = 0x30
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const LITERALS = ['true', 'false', 'null'].map((text) => Buffer.from(text))
/** The search for the end of a longer text is left to Node. */
const SHORT_TEXT = 48
const MOST_DEPTH = 100
/** More digits may not be exact. */
const MOST_DIGITS = 15
/** Longer texts are not compared with the one before. */
const REPEATED_TEXT = 100

export type SkimRow = (bytes: Buffer, start: number, end: number) => JsonObject | undefined

/**
 * Reads some members of a row from its bytes, as `JSON.parse` would: most of a row is text that
 * nobody needs, and neither decoded nor copied. Undefined if the row is not JSON, or in a form that
 * is not understood here, such as escaped names. What is not read is checked for its structure only.
 */
export const createSkim = (wanted: Wanted): SkimRow => {
  const members = membersOf(wanted)
  let bytes: Buffer = Buffer.alloc(0)
  let at = 0
  let isPlain = true

  const skipSpace = (): number => {
    let byte = bytes[at]
    while (byte === 0x20 || byte === 0x09 || byte === 0x0d) byte = bytes[++at]
    return byte ?? 0
  }
  const expect = (byte: number): void => {
    if (skipSpace() !== byte) throw NOT_UNDERSTOOD
    at++
  }

  /** From behind the first quote of a text to behind its last one. */
  const skipText = (): void => {
    const soon = at + SHORT_TEXT
    for (; at < soon; at++) {
      const byte = bytes[at]
      if (byte === QUOTE) {
        at++
        return
      }
      if (byte === BACKSLASH) at++
    }
    // An escape may reach beyond the part that was searched.
    for (let from = at; ; ) {
      const quote = bytes.indexOf(QUOTE, from)
      if (quote === -1) throw NOT_UNDERSTOOD
      let slashes = 0
      while (quote - slashes > at && bytes[quote - 1 - slashes] === BACKSLASH) slashes++
      if (slashes % 2 === 0) {
        at = quote + 1
        return
      }
      from = quote + 1
    }
  }

  /** The end of a text that is read; `isPlain` tells whether it is ASCII without escapes. */
  const readToQuote = (): number => {
    isPlain = true
    for (; ; at++) {
      const byte = bytes[at]
      if (byte === QUOTE) return at++
      if (byte === undefined || byte < 0x20) throw NOT_UNDERSTOOD
      if (byte === BACKSLASH) at++
      if (byte === BACKSLASH || byte >= 0x80) isPlain = false
    }
  }

  const readText = (member: Member): string => {
    const start = at
    const end = readToQuote()
    if (!isPlain) return String(JSON.parse(bytes.toString('utf8', start - 1, end + 1)))
    const { last } = member
    if (last.length === end - start && last.length < REPEATED_TEXT) {
      let same = 0
      while (same < last.length && last.charCodeAt(same) === bytes[start + same]) same++
      if (same === last.length) return last
    }
    member.last = bytes.toString('latin1', start, end)
    return member.last
  }

  const skipNumber = (): void => {
    for (; ; at++) {
      const byte = bytes[at] ?? 0
      const isPart = (byte >= ZERO && byte <= 0x39) || byte === MINUS || byte === 0x2b
      if (!isPart && byte !== 0x2e && byte !== 0x65 && byte !== 0x45) return
    }
  }

  const readNumber = (): number => {
    const start = at
    let value = 0
    for (; at - start < MOST_DIGITS; at++) {
      const byte = bytes[at] ?? 0
      if (byte < ZERO || byte > 0x39) break
      value = value * 10 + byte - ZERO
    }
    const next = bytes[at]
    const isWhole = next === COMMA || next === CLOSE_OBJECT
    if (isWhole && at > start && (bytes[start] !== ZERO || at === start + 1)) return value
    at = start
    skipNumber()
    return Number(JSON.parse(bytes.toString('latin1', start, at)))
  }

  const skipLiteral = (): void => {
    const found = LITERALS.find((each) => each[0] === bytes[at])
    if (found?.some((byte, index) => bytes[at + index] !== byte) !== false) throw NOT_UNDERSTOOD
    at += found.length
  }

  const skipValue = (depth: number): void => {
    const byte = skipSpace()
    if (byte === QUOTE) {
      at++
      skipText()
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      at++
      skipContainer(byte === OPEN_OBJECT, depth + 1)
    } else if (byte === MINUS || (byte >= ZERO && byte <= 0x39)) {
      skipNumber()
    } else {
      skipLiteral()
    }
  }

  const skipContainer = (isObject: boolean, depth: number): void => {
    if (depth > MOST_DEPTH) throw NOT_UNDERSTOOD
    const close = isObject ? CLOSE_OBJECT : CLOSE_ARRAY
    if (skipSpace() === close) {
      at++
      return
    }
    for (;;) {
      if (isObject) {
        expect(QUOTE)
        skipText()
        expect(COLON)
      }
      skipValue(depth)
      if (skipSpace() === close) {
        at++
        return
      }
      expect(COMMA)
    }
  }

  const readValue = (member: Member, depth: number): unknown => {
    const byte = skipSpace()
    if (byte === QUOTE) {
      at++
      return readText(member)
    }
    if (byte >= ZERO && byte <= 0x39) return readNumber()
    if (byte === OPEN_OBJECT && member.members !== undefined) {
      at++
      return readObject(member.members, depth + 1)
    }
    const start = at
    skipValue(depth)
    return JSON.parse(bytes.toString('utf8', start, at))
  }

  const readObject = (of: readonly Member[], depth: number): JsonObject => {
    const object: Record<string, unknown> = {}
    if (skipSpace() === CLOSE_OBJECT) {
      at++
      return object
    }
    for (;;) {
      expect(QUOTE)
      const start = at
      const end = readToQuote()
      if (!isPlain) throw NOT_UNDERSTOOD
      expect(COLON)
      const member = findMember(of, bytes, start, end)
      if (member === undefined) skipValue(depth)
      else object[member.name] = readValue(member, depth)
      if (skipSpace() === CLOSE_OBJECT) {
        at++
        return object
      }
      expect(COMMA)
    }
  }

  return (row, start, end) => {
    bytes = row
    at = start
    try {
      expect(OPEN_OBJECT)
      const object = readObject(members, 0)
      skipSpace()
      return at === end ? object : undefined
    } catch {
      return undefined
    }
  }
}

const NOT_UNDERSTOOD = new SyntaxError('not understood')

const membersOf = (wanted: Wanted): Member[] =>
  Object.entries(wanted).map(([name, value]) => ({
    name,
    bytes: Buffer.from(name),
    members: value === true ? undefined : membersOf(value),
    last: '',
  }))

const findMember = (
  members: readonly Member[],
  bytes: Buffer,
  start: number,
  end: number,
): Member | undefined => {
  const length = end - start
  for (const member of members) {
    const name = member.bytes
    if (name.length !== length) continue
    let same = 0
    while (same < length && name[same] === bytes[start + same]) same++
    if (same === length) return member
  }
  return undefined
}
