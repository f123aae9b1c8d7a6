import { invalid } from './refusal.ts'

/** What nests deeper is written by nobody; parsers and stores that recurse would run out of stack. */
const DEEPEST = 100

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING = new Set([0x5b, 0x7b])
const CLOSING = new Set([0x5d, 0x7d])

/** Refuses JSON whose arrays and objects nest too deep, before anything else looks at it. */
export const checkNesting = (bytes: Uint8Array): void => {
  let depth = 0
  let isText = false
  for (let place = 0; place < bytes.length; place++) {
    const byte = bytes[place] ?? 0
    if (isText) {
      if (byte === BACKSLASH) place += 1
      else if (byte === QUOTE) isText = false
    } else if (byte === QUOTE) isText = true
    else if (OPENING.has(byte)) {
      depth += 1
      if (depth > DEEPEST) throw invalid('the body', `it nests deeper than ${DEEPEST} levels`)
    } else if (CLOSING.has(byte)) depth -= 1
  }
}
