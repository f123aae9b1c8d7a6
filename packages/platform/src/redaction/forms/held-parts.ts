/** Strings in small letters, one of which a text must hold to be looked at closely. */
export interface Parts {
  texts: readonly string[]
  /** The first pair of letters of each; made when they are first looked for. */
  pairs?: Int32Array
}

/** Separated by `|`. */
export const partsOf = (parts: string): Parts => ({ texts: parts.split('|') })

/**
 * Tells whether the text holds one of the strings. Most texts are short and there are a hundred
 * strings, so the pairs of letters in a text are noted once, and a string is looked for only where its
 * first pair is among them.
 */
export const createPartFinder = (lower: () => string): ((parts: Parts) => boolean) => {
  const held = new Map<Parts, boolean>()
  let mine = 0
  const find = (text: string, parts: Parts): boolean => {
    // Another text may have been noted since.
    if (mine === 0 || mine !== turn) mine = note(text)
    parts.pairs ??= Int32Array.from(parts.texts, firstPair)
    for (let at = 0; at < parts.pairs.length; at += 1) {
      const pair = parts.pairs[at] ?? ANY
      if (pair !== ANY && noted[pair] !== mine) continue
      if (text.includes(parts.texts[at] ?? '')) return true
    }
    return false
  }
  return (parts) => {
    const text = lower()
    // To look again in a short text costs less than to remember.
    if (text.length < LONG_CHARS) return find(text, parts)
    const isHeld = held.get(parts) ?? find(text, parts)
    held.set(parts, isHeld)
    return isHeld
  }
}

const LONG_CHARS = 1000
const PAIRS = 1 << 14
const ANY = -1
const LAST_TURN = 2 ** 32 - 1
/** Each pair of the noted text holds the number of its turn, so that nothing has to be cleared. */
let noted = new Uint32Array(0)
let turn = 0

/** Two different pairs may share a place: that costs a look, never a find. */
const note = (text: string): number => {
  if (noted.length === 0 || turn === LAST_TURN) {
    noted = new Uint32Array(PAIRS)
    turn = 0
  }
  turn += 1
  const table = noted
  const number = turn
  let before = text.charCodeAt(0)
  for (let at = 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    table[((before << 7) ^ code) & (PAIRS - 1)] = number
    before = code
  }
  return number
}

const firstPair = (text: string): number =>
  text.length < 2 ? ANY : ((text.charCodeAt(0) << 7) ^ text.charCodeAt(1)) & (PAIRS - 1)
