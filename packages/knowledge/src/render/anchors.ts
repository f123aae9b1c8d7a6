import { plainText } from './plain-text.ts'

/** Before every anchor: what a document calls its headings cannot be what the page around it is called. */
const PREFIX = 's-'
const LONGEST = 80

/** Gives each heading of a document its anchor, in the order they stand; the same text, the same anchors. */
export const createAnchors = (): ((heading: string) => string) => {
  const taken = new Set<string>()
  return (heading) => {
    const base = slugOf(plainText(heading))
    let anchor = `${PREFIX}${base}`
    for (let count = 1; taken.has(anchor); count++) anchor = `${PREFIX}${base}-${count}`
    taken.add(anchor)
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
