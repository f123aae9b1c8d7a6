/**
 * 64 bits of a text as about 13 letters and digits, nearly as fast as reading it: a poll needs
 * several per item, and a worker has few milliseconds. It distinguishes items of one feed; an
 * author who makes two of their own items collide only hides one of them.
 */
export const shortHash = (text: string): string => {
  let first = 0x811c9dc5
  let second = 0x9747b28c
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    first = Math.imul(first ^ unit, 0x01000193)
    second = Math.imul(second ^ unit, 0xcc9e2d51)
    second = (second << 13) | (second >>> 19)
  }
  return toText(spread(first ^ Math.imul(text.length, 0x85ebca6b)), spread(second ^ first))
}

/** Makes every bit depend on every other. */
const spread = (value: number): number => {
  let mixed = value
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

const toText = (first: number, second: number): string =>
  first.toString(36).padStart(7, '0') + second.toString(36).padStart(7, '0')
