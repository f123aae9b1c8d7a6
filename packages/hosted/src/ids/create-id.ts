import { randomBytes } from 'node:crypto'

const ALPHABET = '0123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** Bytes beyond the last whole round of the alphabet would make its first signs likelier. */
const FAIR = 256 - (256 % ALPHABET.length)

/** The kinds of things that have an id, by the prefix that clients see. */
export type IdPrefix =
  | 'agent'
  | 'env'
  | 'sesn'
  | 'sevt'
  | 'sthr'
  | 'sesrsc'
  | 'vlt'
  | 'vcrd'
  | 'file'
  | 'outc'
  | 'work'
  | 'req'
  | 'key'

/** A fresh id: its prefix and 24 signs that nobody can guess. */
export const createId = (prefix: IdPrefix): string => {
  let signs = ''
  while (signs.length < 24)
    for (const byte of randomBytes(32)) {
      if (byte < FAIR && signs.length < 24) signs += ALPHABET[byte % ALPHABET.length]
    }
  return `${prefix}_${signs}`
}
