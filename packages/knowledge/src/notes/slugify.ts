import { createHash } from 'node:crypto'
import { PLAIN_LETTERS } from '../plain-letters.ts'

const LONGEST = 80
const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const FOLDED = /^[a-z0-9/-]*$/

/**
 * A title as a file name that means the same on every file system: plain lower-case letters, digits
 * and hyphens. A title in a script without such letters gets a name made from its characters.
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

/** The same title gives the same name, in whatever form its characters are written. */
const hashOf = (title: string): string =>
  createHash('sha256').update(title.normalize('NFC')).digest('hex').slice(0, 8)

/** How two ways of writing a name are compared: `Ada  Lovelace` is `ada lovelace`. */
export const foldName = (name: string): string =>
  FOLDED.test(name) ? name : name.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim()
