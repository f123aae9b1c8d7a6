const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const UPPER = LOWER.toUpperCase()
const DIGITS = '0123456789'

/** Makes the random part of a synthetic secret; the same seed makes the same parts. */
export interface SecretParts {
  alnum: (length: number) => string
  lower: (length: number) => string
  upper: (length: number) => string
  hex: (length: number) => string
  base32: (length: number) => string
  base64: (length: number) => string
  /** Letters, digits, `-` and `_`. */
  word: (length: number) => string
  digits: (length: number) => string
  uuid: () => string
  /** Letters and digits with punctuation, as people choose passwords. */
  password: () => string
}

export const createSecretParts = (seed: string): SecretParts => {
  let state = hashOf(seed)
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 10
  }
  const pick = (letters: string) => (length: number) => {
    let text = ''
    while (text.length < length) text += letters[next() % letters.length]
    return text
  }
  const hex = pick(`${DIGITS}abcdef`)
  return {
    // The last two characters make sure that letters and digits are both present.
    alnum: (length) => `${pick(UPPER + LOWER + DIGITS)(length - 2)}t4`,
    lower: (length) => `${pick(LOWER + DIGITS)(length - 2)}t4`,
    upper: (length) => `${pick(UPPER + DIGITS)(length - 2)}T4`,
    hex: (length) => `${hex(length - 2)}b4`,
    base32: (length) => `${pick(`${UPPER}234567`)(length - 2)}T4`,
    base64: (length) => `${pick(`${UPPER}${LOWER}${DIGITS}+/`)(length - 2)}t4`,
    word: (length) => `${pick(`${UPPER}${LOWER}${DIGITS}-_`)(length - 2)}t4`,
    digits: pick(DIGITS),
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
    password: () => `${pick(UPPER)(1)}${pick(LOWER)(5)}${pick('!%*?+')(1)}${pick(DIGITS)(3)}`,
  }
}

/** FNV-1a over the text, in 32 bits. */
export const hashOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0
  return hash
}
