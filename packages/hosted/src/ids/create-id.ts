import { randomBytes } from 'node:crypto'

const ALPHABET = '0123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** Bytes beyond the last full multiple of the alphabet would favour its first characters. */
const FAIR = 256 - (256 % ALPHABET.length)

/** The prefixes of ids, one per kind of resource. */
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
  | 'skill'
  | 'skillver'
  | 'memstore'
  | 'mem'
  | 'memver'
  | 'outc'
  | 'depl'
  | 'drun'
  | 'whep'
  | 'wevt'
  | 'wdel'
  | 'work'
  | 'req'
  | 'key'

/** A new id: its prefix and 24 unguessable characters. */
export const createId = (prefix: IdPrefix): string => {
  let signs = ''
  while (signs.length < 24)
    for (const byte of randomBytes(32)) {
      if (byte < FAIR && signs.length < 24) signs += ALPHABET[byte % ALPHABET.length]
    }
  return `${prefix}_${signs}`
}
