const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const SPACE = 0x20
/** Longer texts are searched by the runtime, shorter ones faster here. */
const SHORT_TEXT = 64

/** What may be outside of texts, apart from brackets and quotes. */
const IS_PLAIN = new Uint8Array(256)
for (const char of ' \t\r\n,:+-.0123456789eEtrufalsn') IS_PLAIN[char.charCodeAt(0)] = 1

/** The place behind the JSON value that starts here, or -1. */
export const endOfValue = (bytes: Buffer, from: number, end: number): number => {
  let depth = 0
  for (let at = from; at < end; at++) {
    const byte = bytes[at] ?? 0
    if (IS_PLAIN[byte] === 1) {
      if (byte !== COMMA || depth > 0) continue
      return at > from ? at : -1
    }
    if (byte === QUOTE) {
      if (depth === 0 && at > from) return -1
      at = endOfText(bytes, at + 1, end)
      if (at === -1) return -1
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (depth === 0 && at > from) return -1
      depth++
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      if (depth === 0) return at > from ? at : -1
      depth--
    } else {
      return -1
    }
    if (depth === 0) return at + 1
  }
  return -1
}

/** The place of the quote that ends the text that starts here, or -1. */
export const endOfText = (bytes: Buffer, from: number, end: number): number => {
  const near = Math.min(from + SHORT_TEXT, end)
  let at = from
  while (at < near) {
    const byte = bytes[at]
    if (byte === QUOTE) return at
    if (byte === BACKSLASH) break
    at++
  }
  for (;;) {
    at = bytes.indexOf(QUOTE, at)
    if (at === -1 || at >= end) return -1
    let escapes = at - 1
    while (escapes >= from && bytes[escapes] === BACKSLASH) escapes--
    if ((at - escapes) % 2 === 1) return at
    at++
  }
}

export const hasEscape = (bytes: Buffer, from: number, to: number): boolean => {
  let at = from
  while (at < to && bytes[at] !== BACKSLASH) at++
  return at < to
}

export const skipSpace = (bytes: Buffer, from: number, end: number): number => {
  let at = from
  while (at < end && (bytes[at] ?? 0) <= SPACE) at++
  return at
}
