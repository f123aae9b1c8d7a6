import { randomFillSync } from 'node:crypto'

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
  while (signs.length < 24) {
    const byte = takeRandomByte()
    if (byte < FAIR) signs += ALPHABET[byte % ALPHABET.length]
  }
  return `${prefix}_${signs}`
}

/** Random bytes for many ids at once, because each call to the system takes longer than an id. */
const pool = Buffer.alloc(4096)
let next = pool.length

const takeRandomByte = (): number => {
  if (next === pool.length) {
    randomFillSync(pool)
    next = 0
  }
  const byte = pool[next] ?? 0
  // A byte that was given out is not kept.
  pool[next] = 0
  next += 1
  return byte
}
