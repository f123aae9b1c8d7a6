import { createHash } from 'node:crypto'
import { PLAIN_LETTERS } from '../plain-letters.ts'

const LONGEST = 80
const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const FOLDED = /^[a-z0-9/-]*$/

/**
 * A title as a portable file name: plain lower-case letters, digits and hyphens. A title in another
 * script gets a name derived from its characters.
 */
export const slugify = (title: string): string => {
  if (SLUG.test(title) && title.length <= LONGEST) return title
  const plain = title
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[ßæœøđðþłı]/g, (letter) => PLAIN_LETTERS[letter] ?? '')
  const words = plain.replaceAll(/['’]/g, '').match(/[a-z0-9]+/g) ?? []
  const slug = words.join('-')
  if (slug === '') return `note-${hashOf(title)}`
  if (slug.length <= LONGEST) return slug
  return slug.slice(0, LONGEST).replace(/-[^-]*$/, '')
}

/** Normalised, so that equal titles give the same name in any Unicode form. */
const hashOf = (title: string): string =>
  createHash('sha256').update(title.normalize('NFC')).digest('hex').slice(0, 8)

/** Normalises names for comparison: `Ada  Lovelace` is `ada lovelace`. */
export const foldName = (name: string): string =>
  FOLDED.test(name) ? name : name.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim()
