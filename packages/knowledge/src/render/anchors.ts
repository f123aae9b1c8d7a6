import { decodePercent } from '@steward/platform'
import { plainText } from './plain-text.ts'

/** Prefix of all anchors, so that a document's headings cannot collide with ids of the page. */
const PREFIX = 's-'
const LONGEST = 80

/** Assigns anchors to a document's headings in order; deterministic. */
export const createAnchors = (): ((heading: string) => string) => {
  /** Used anchors, each with the next number to try for a duplicate. */
  const taken = new Map<string, number>()
  return (heading) => {
    const base = `${PREFIX}${slugOf(plainText(heading))}`
    let anchor = base
    let count = taken.get(base) ?? 0
    for (; taken.has(anchor); count++) anchor = `${base}-${count + 1}`
    taken.set(base, count)
    if (anchor !== base) taken.set(anchor, 0)
    return anchor
  }
}

/** The anchor for a link's `#fragment`. */
export const anchorOf = (fragment: string): string => {
  const slug = slugOf(decodePercent(fragment))
  return slug.startsWith(PREFIX) ? slug : `${PREFIX}${slug}`
}

const slugOf = (text: string): string =>
  text
    .normalize('NFC')
    .toLowerCase()
    .trim()
    .replaceAll(/[^\p{L}\p{N}\p{M}\s_-]+/gu, '')
    .replaceAll(/\s+/g, '-')
    .slice(0, LONGEST)
    .toWellFormed() || 'section'
