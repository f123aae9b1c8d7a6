import { createHash, timingSafeEqual } from 'node:crypto'

/** Compares two secrets in constant time. */
export const isSameSecret = (given: string, wanted: string): boolean =>
  timingSafeEqual(digest(given), digest(wanted))

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
