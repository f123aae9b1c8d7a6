import type { JsonObject } from '@steward/contract'
import { endOfText, endOfValue, hasEscape, skipSpace } from './skip-json.ts'

/** The members of a row that matter: `true` takes a value as a whole. */
export interface WantedMembers {
  readonly [key: string]: true | WantedMembers
}

/** The wanted members of the object between two places; undefined unless it is certainly JSON. */
export type PickMembers = (bytes: Buffer, start: number, end: number) => JsonObject | undefined

/** A member as rows write it: most have the same ones in the same order, many with the same text. */
interface Member {
  key: string
  /** With its quotes and colon. */
  name: Buffer
  isWanted: boolean
  inner: Level | undefined
  /** The one that followed it last. */
  next: Member | undefined
  /** The text that it had last, and where that is with its quotes. */
  text: string
  textIn: Buffer | undefined
  textFrom: number
  textTo: number
}

interface Level {
  wanted: WantedMembers
  members: Map<string, Member>
  first: Member | undefined
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const ZERO = 0x30
/** Integers of so many digits are exact. */
const MOST_DIGITS = 15
const MOST_MEMBERS = 200

/**
 * Reads a few members of large objects without decoding the rest, which takes a fraction of the time
 * of `JSON.parse`. Values that are not wanted are not checked beyond their quotes and brackets. Where
 * a row is not as expected, the answer is undefined, and the row must be parsed. Texts that an earlier
 * row of the same buffer had are not decoded again, so its content may not change.
 */
export const pickMembers = (wanted: WantedMembers): PickMembers => {
  const level = createLevel(wanted)
  return (bytes, start, end) => {
    place = skipSpace(bytes, start, end)
    if (bytes[place] !== OPEN_OBJECT) return undefined
    const row = readObject(bytes, end, level)
    return row !== undefined && skipSpace(bytes, place, end) === end ? row : undefined
  }
}

const createLevel = (wanted: WantedMembers): Level => ({
  wanted,
  members: new Map(),
  first: undefined,
})

/** Where the part that was read last ends; a result with two values would be made a million times. */
let place = 0

const readObject = (bytes: Buffer, end: number, level: Level): JsonObject | undefined => {
  const row: JsonObject = {}
  place = skipSpace(bytes, place + 1, end)
  if (bytes[place] === CLOSE_OBJECT) {
    place++
    return row
  }
  let last: Member | undefined
  for (;;) {
    let member = last === undefined ? level.first : last.next
    if (member !== undefined && isAt(bytes, place, end, member.name, 0, member.name.length)) {
      place += member.name.length
    } else {
      member = readName(bytes, end, level)
      if (member === undefined) return undefined
      if (last === undefined) level.first = member
      else last.next = member
    }
    last = member
    place = skipSpace(bytes, place, end)
    if (member.isWanted) {
      const value = readValue(bytes, end, member)
      if (value === undefined) return undefined
      row[member.key] = value
    } else {
      place = endOfValue(bytes, place, end)
      if (place === -1) return undefined
    }
    place = skipSpace(bytes, place, end)
    const after = bytes[place]
    if (after !== COMMA && after !== CLOSE_OBJECT) return undefined
    place++
    if (after === CLOSE_OBJECT) return row
    place = skipSpace(bytes, place, end)
  }
}

/** Whether these bytes are at a place. */
const isAt = (
  bytes: Buffer,
  from: number,
  end: number,
  expected: Buffer,
  first: number,
  last: number,
): boolean => {
  const shift = from - first
  if (last + shift > end) return false
  for (let at = first; at < last; at++) {
    if (bytes[at + shift] !== expected[at]) return false
  }
  return true
}

const readName = (bytes: Buffer, end: number, level: Level): Member | undefined => {
  const from = place
  const to = bytes[from] === QUOTE ? endOfText(bytes, from + 1, end) : -1
  // With an escape, its name may be that of a wanted one.
  if (to === -1 || hasEscape(bytes, from, to)) return undefined
  place = skipSpace(bytes, to + 1, end)
  if (bytes[place] !== COLON) return undefined
  place++
  const key = bytes.toString('utf8', from + 1, to)
  const known = level.members.get(key)
  if (known !== undefined) return known
  const wanted = Object.hasOwn(level.wanted, key) ? level.wanted[key] : undefined
  const member: Member = {
    key,
    name: Buffer.from(`"${key}":`),
    isWanted: wanted !== undefined,
    inner: wanted === undefined || wanted === true ? undefined : createLevel(wanted),
    next: undefined,
    text: '',
    textIn: undefined,
    textFrom: 0,
    textTo: 0,
  }
  if (level.members.size >= MOST_MEMBERS) level.members.clear()
  level.members.set(key, member)
  return member
}

const readValue = (bytes: Buffer, end: number, member: Member): unknown => {
  const from = place
  const first = bytes[from]
  if (first === QUOTE) return readText(bytes, end, member)
  if (first === OPEN_OBJECT && member.inner !== undefined) {
    return readObject(bytes, end, member.inner)
  }
  const count = readCount(bytes, from, end)
  if (count !== undefined) return count
  place = endOfValue(bytes, from, end)
  return place === -1 ? undefined : parse(bytes, from)
}

const readText = (bytes: Buffer, end: number, member: Member): unknown => {
  const from = place
  if (member.textIn === bytes && isAt(bytes, from, end, bytes, member.textFrom, member.textTo)) {
    place += member.textTo - member.textFrom
    return member.text
  }
  const to = endOfText(bytes, from + 1, end)
  if (to === -1) return undefined
  place = to + 1
  if (hasEscape(bytes, from, to)) return parse(bytes, from)
  member.text = bytes.toString('utf8', from + 1, to)
  member.textIn = bytes
  member.textFrom = from
  member.textTo = place
  return member.text
}

const parse = (bytes: Buffer, from: number): unknown => {
  try {
    return JSON.parse(bytes.toString('utf8', from, place))
  } catch {
    return undefined
  }
}

/** The digits at a place, if that is all, and the first is not a needless 0. */
const readCount = (bytes: Buffer, from: number, end: number): number | undefined => {
  let value = 0
  let at = from
  for (; at < end; at++) {
    const digit = (bytes[at] ?? 0) - ZERO
    if (digit < 0 || digit > 9) break
    value = value * 10 + digit
  }
  const after = bytes[at]
  const digits = at - from
  if (digits === 0 || digits > MOST_DIGITS || (digits > 1 && bytes[from] === ZERO)) return undefined
  if (after !== COMMA && after !== CLOSE_OBJECT) return undefined
  place = at
  return value
}
