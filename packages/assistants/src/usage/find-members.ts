import { isSame, viewOf } from './same-bytes.ts'
import { endOfText, endOfValue, hasEscape, skipSpace } from './skip-json.ts'

/** The members of a row that matter, each with the number under which its value is found. */
export interface WantedMembers {
  readonly [key: string]: number | WantedMembers
}

/** Values of the row that was read last. */
export interface FoundMembers {
  /** Where each text starts, without its quotes; -1 if the member is no text. */
  readonly starts: Int32Array
  /** Where each text or count ends. */
  readonly ends: Int32Array
  /** -1 if the member is no number. */
  readonly counts: Float64Array
  /** Whether the object between two places is certainly JSON, and its values were found. */
  read: (bytes: Buffer, start: number, end: number) => boolean
  /** The text of a member, decoded once if rows repeat it; undefined if it is no text. */
  text: (bytes: Buffer, number: number) => string | undefined
  /** Must be called before rows of other bytes. */
  begin: (bytes: Buffer) => void
}

/** A member as rows write it: most have the same ones in the same order, many with the same text. */
interface Member {
  /** With its quotes and colon. */
  name: Buffer
  nameView: DataView
  /** -1 if it is not wanted. */
  number: number
  inner: Level | undefined
  /** The one that followed it last. */
  next: Member | undefined
}

interface Level {
  members: Map<string, Member>
  first: Member | undefined
  isFound: boolean
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const ZERO = 0x30
const SPACE = 0x20
const BACKSLASH = 0x5c
/** Integers of so many digits are exact. */
const MOST_DIGITS = 15
const MOST_MEMBERS = 200
const NULL = Buffer.from('null')
const NULL_VIEW = viewOf(NULL)

/**
 * Finds a few members of large objects without decoding anything, which takes a fraction of the time
 * of `JSON.parse`. Values that are not wanted are not checked beyond their quotes and brackets. Where
 * a row is not as expected, it must be parsed: if a wanted member is there twice, is a text with an
 * escape, a number that is no count, a boolean or a list.
 */
export const findMembers = (wanted: WantedMembers): FoundMembers => {
  const size = countNumbers(wanted)
  const starts = new Int32Array(size).fill(-1)
  const ends = new Int32Array(size).fill(-1)
  const counts = new Float64Array(size).fill(-1)
  const levels: Level[] = []
  /** Texts that were decoded, and where from. */
  const texts = Array.from({ length: size }, () => '')
  const textStarts = new Int32Array(size).fill(-1)
  const textEnds = new Int32Array(size).fill(-1)
  const repeats = new Uint8Array(size)
  const top = createLevel(wanted, levels)
  let view = viewOf(Buffer.alloc(0))
  /** Where the part that was read last ends. */
  let place = 0

  const readObject = (bytes: Buffer, end: number, level: Level): boolean => {
    if (level.isFound) return false
    level.isFound = true
    place = skipSpace(bytes, place + 1, end)
    if (bytes[place] === CLOSE_OBJECT) {
      place++
      return true
    }
    let last: Member | undefined
    for (;;) {
      let member = last === undefined ? level.first : last.next
      if (member !== undefined && isNameAt(member, end)) {
        place += member.name.length
      } else {
        member = readName(bytes, end, level)
        if (member === undefined) return false
        if (last === undefined) level.first = member
        else last.next = member
      }
      last = member
      if ((bytes[place] ?? 0) <= SPACE) place = skipSpace(bytes, place, end)
      if (!readValue(bytes, end, member)) return false
      if ((bytes[place] ?? 0) <= SPACE) place = skipSpace(bytes, place, end)
      const after = bytes[place]
      if (place >= end || (after !== COMMA && after !== CLOSE_OBJECT)) return false
      place++
      if (after === CLOSE_OBJECT) return true
      if ((bytes[place] ?? 0) <= SPACE) place = skipSpace(bytes, place, end)
    }
  }

  const isNameAt = ({ name, nameView }: Member, end: number): boolean =>
    place + name.length <= end && isSame(view, place, nameView, 0, name.length)

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
    const member = createMember(key, -1, undefined)
    if (level.members.size < MOST_MEMBERS) level.members.set(key, member)
    return member
  }

  const readValue = (bytes: Buffer, end: number, { number, inner }: Member): boolean => {
    const first = bytes[place]
    if (inner !== undefined && first === OPEN_OBJECT) return readObject(bytes, end, inner)
    if (inner?.isFound) return false
    if (number === -1) {
      place = endOfValue(bytes, place, end)
      return place !== -1
    }
    if (starts[number] !== -1 || counts[number] !== -1) return false
    if (first === QUOTE) return readText(bytes, end, number)
    const afterNull = place + NULL.length
    if (afterNull > end || !isSame(view, place, NULL_VIEW, 0, NULL.length)) {
      return readCount(bytes, end, number)
    }
    place = afterNull
    return true
  }

  const readText = (bytes: Buffer, end: number, number: number): boolean => {
    const from = place + 1
    const knownFrom = textStarts[number] ?? -1
    const knownTo = textEnds[number] ?? -1
    starts[number] = from
    const length = knownTo - knownFrom
    if (
      knownFrom !== -1 &&
      from + length < end &&
      isSame(view, from, view, knownFrom, length + 1)
    ) {
      place = from + length
      repeats[number] = 1
    } else {
      let at = from
      for (let byte = bytes[at]; at < end && byte !== QUOTE; byte = bytes[++at]) {
        if (byte === BACKSLASH) return false
      }
      if (at >= end) return false
      place = at
    }
    ends[number] = place++
    return true
  }

  /** The digits at a place, if that is all, and the first is not a needless 0. */
  const readCount = (bytes: Buffer, end: number, number: number): boolean => {
    const from = place
    let value = 0
    let at = from
    for (; at < end; at++) {
      const digit = (bytes[at] ?? 0) - ZERO
      if (digit < 0 || digit > 9) break
      value = value * 10 + digit
    }
    const digits = at - from
    if (digits === 0 || digits > MOST_DIGITS || (digits > 1 && bytes[from] === ZERO)) return false
    counts[number] = value
    ends[number] = at
    place = at
    return true
  }

  return {
    starts,
    ends,
    counts,
    text: (bytes, number) => {
      const from = starts[number] ?? -1
      if (from === -1) return undefined
      if (repeats[number] === 1) return texts[number]
      const to = ends[number] ?? -1
      const text = bytes.toString('utf8', from, to)
      texts[number] = text
      textStarts[number] = from
      textEnds[number] = to
      return text
    },
    begin: (bytes) => {
      view = viewOf(bytes)
      textStarts.fill(-1)
    },
    read: (bytes, start, end) => {
      for (let number = 0; number < size; number++) {
        starts[number] = -1
        counts[number] = -1
        repeats[number] = 0
      }
      for (const level of levels) level.isFound = false
      place = skipSpace(bytes, start, end)
      if (bytes[place] !== OPEN_OBJECT) return false
      return readObject(bytes, end, top) && skipSpace(bytes, place, end) === end
    },
  }
}

const countNumbers = (wanted: WantedMembers): number =>
  Object.values(wanted).reduce<number>(
    (most, value) => Math.max(most, typeof value === 'number' ? value + 1 : countNumbers(value)),
    0,
  )

const createLevel = (wanted: WantedMembers, levels: Level[]): Level => {
  const members = new Map(
    Object.entries(wanted).map(([key, value]) => {
      if (typeof value === 'number') return [key, createMember(key, value, undefined)]
      return [key, createMember(key, -1, createLevel(value, levels))]
    }),
  )
  const level: Level = { members, first: undefined, isFound: false }
  levels.push(level)
  return level
}

const createMember = (key: string, number: number, inner: Level | undefined): Member => {
  const name = Buffer.from(`"${key}":`)
  return { name, nameView: viewOf(name), number, inner, next: undefined }
}
