const HIGH = 2 ** 21
const LOW_BITS = HIGH - 1

/**
 * 53 bits of a name of a call or context, because numbers are stored and found faster than text. Of a million calls,
 * two have the same with a probability of 1 to 18,000.
 */
export const keyOf = (name: string): number => {
  let one = 0xdeadbeef
  let two = 0x41c6ce57
  for (let at = 0; at < name.length; at++) {
    const code = name.charCodeAt(at)
    one = Math.imul(one ^ code, 0x9e3779b1)
    two = Math.imul(two ^ code, 0x5f356495)
  }
  one = mix(one, two)
  two = mix(two, one)
  return (two >>> 0) * HIGH + (one & LOW_BITS)
}

const mix = (one: number, two: number): number =>
  Math.imul(one ^ (one >>> 16), 0x85ebca6b) ^ Math.imul(two ^ (two >>> 13), 0xc2b2ae35)
