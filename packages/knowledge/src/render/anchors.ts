import { plainText } from './plain-text.ts'

/** Before every anchor: what a document calls its headings cannot be what the page around it is called. */
const PREFIX = 's-'
const LONGEST = 80

/** Gives each heading of a document its anchor, in the order they stand; the same text, the same anchors. */
export const createAnchors = (): ((heading: string) => string) => {
  /** What was given, with the number that its next namesake begins to look at. */
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

/** The anchor that `#fragment` of a link means. */
export const anchorOf = (fragment: string): string => {
  const slug = slugOf(decode(fragment))
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

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch (thrown) {
    if (thrown instanceof URIError) return text
    throw thrown
  }
}
