const HIGH = 2 ** 21
const LOW_BITS = HIGH - 1
const FIRST_ONE = 0xdeadbeef
const FIRST_TWO = 0x41c6ce57
const FACTOR_ONE = 0x9e3779b1
const FACTOR_TWO = 0x5f356495
const SPACE = 0x20
const LAST_ASCII = 0x7f

/**
 * 53 bits of a name of a call or context, because numbers are stored and found faster than text. Of a million calls,
 * two have the same with a probability of 1 to 18,000.
 */
export const keyOf = (name: string): number => {
  let one = FIRST_ONE
  let two = FIRST_TWO
  for (let at = 0; at < name.length; at++) {
    const code = name.charCodeAt(at)
    one = Math.imul(one ^ code, FACTOR_ONE)
    two = Math.imul(two ^ code, FACTOR_TWO)
  }
  return finish(one, two)
}

/** A part of some bytes. */
export interface BytesPart {
  from: number
  to: number
}

/** `keyOf` of a beginning and two parts of bytes with a space between; undefined unless they are ASCII. */
export const keyOfBytes = (
  beginning: string,
  bytes: Buffer,
  first: BytesPart,
  second: BytesPart,
): number | undefined => {
  let one = FIRST_ONE
  let two = FIRST_TWO
  const length = first.to - first.from
  const start = beginning.length
  const end = start + length + 1 + second.to - second.from
  for (let at = 0; at < end; at++) {
    let code = SPACE
    if (at < start) code = beginning.charCodeAt(at)
    else if (at < start + length) code = bytes[first.from + at - start] ?? 0
    else if (at > start + length) code = bytes[second.from + at - start - length - 1] ?? 0
    if (code > LAST_ASCII) return undefined
    one = Math.imul(one ^ code, FACTOR_ONE)
    two = Math.imul(two ^ code, FACTOR_TWO)
  }
  return finish(one, two)
}

const finish = (one: number, two: number): number => {
  const low = mix(one, two)
  const high = mix(two, low)
  return (high >>> 0) * HIGH + (low & LOW_BITS)
}

const mix = (one: number, two: number): number =>
  Math.imul(one ^ (one >>> 16), 0x85ebca6b) ^ Math.imul(two ^ (two >>> 13), 0xc2b2ae35)
