/** A text that holds a secret, and what of it must never be shown. */
export interface SecretCase {
  name: string
  text: string
  secret: string
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Looks generated and is the same each time; sources hold no secret that a scanner could report. */
export const generated = (length: number, seed: number, letters = LETTERS): string => {
  let state = seed * 2_654_435_761 + 1
  let text = ''
  while (text.length < length) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    text += letters[(state >>> 8) % letters.length]
  }
  // Short ones must have letters and digits too.
  return length < 4 ? text : `${text.slice(0, -2)}q7`
}

export const hex = (length: number, seed: number): string =>
  generated(length, seed, '0123456789abcdef').replace('q7', 'e7')
export const upper = (length: number, seed: number): string =>
  generated(length, seed, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567').replace('q7', 'Q7')
export const base64 = (length: number, seed: number): string =>
  generated(length, seed, `${LETTERS}+/`)

export const whole = (name: string, secret: string, before = '', after = ''): SecretCase => ({
  name,
  secret,
  text: `${before}${secret}${after}`,
})
