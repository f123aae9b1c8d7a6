/** Where to continue after the comment, CDATA section, declaration or instruction at `at`. */
export type SkipMarkup = (at: number, insideTag: string) => number

const CDATA = '<![CDATA['

export const makeMarkupSkipper = (source: string): SkipMarkup => {
  const finderOf = (needle: string) => makeFinder((from) => source.indexOf(needle, from))
  const findComment = finderOf('-->')
  const findInstruction = finderOf('?>')
  const findGreater = finderOf('>')
  const findSubset = finderOf('[')
  const findSubsetEnd = finderOf(']>')
  const findCdata = finderOf(CDATA)
  const findCdataEnd = finderOf(']]>')
  const endTags = new Map<string, (from: number) => number>()

  const findEndTag = (tag: string, from: number): number => {
    const find = endTags.get(tag) ?? makeFinder(searchEndTag(source, tag))
    endTags.set(tag, find)
    return find(from)
  }

  /**
   * A section that contains its element's end tag and the start of another section has lost its
   * `]]>`.
   */
  const skipCdata = (at: number, tag: string): number => {
    const inside = at + CDATA.length
    const end = findCdataEnd(inside)
    const next = findCdata(inside)
    if (end !== -1 && (next === -1 || next > end)) return end + 3
    const endTag = findEndTag(tag, inside)
    if (end === -1) return endTag === -1 ? source.length : endTag
    const isUnended =
      endTag !== -1 && endTag < next && /^<\/[^<>]*>\s*</.test(source.slice(endTag, endTag + 100))
    return isUnended ? endTag : end + 3
  }

  const skipDoctype = (at: number): number => {
    const greater = findGreater(at)
    if (greater === -1) return at + 2
    const subset = findSubset(at)
    if (subset === -1 || subset > greater) return greater + 1
    const end = findSubsetEnd(subset)
    return end === -1 ? greater + 1 : end + 2
  }

  const after = (end: number, length: number, otherwise: number): number =>
    end === -1 ? otherwise : end + length

  return (at, insideTag) => {
    if (source.startsWith(CDATA, at)) return skipCdata(at, insideTag)
    if (source.startsWith('<!--', at)) return after(findComment(at + 4), 3, at + 4)
    if (source.startsWith('<?', at)) {
      return after(findInstruction(at), 2, after(findGreater(at), 1, at + 2))
    }
    return /^<![a-z]/i.test(source.slice(at, at + 3)) ? skipDoctype(at) : at + 2
  }
}

const searchEndTag = (source: string, tag: string): ((from: number) => number) => {
  const pattern = new RegExp(`</${tag.replace(/[^\w:-]/g, '\\$&')}`, 'gi')
  return (from) => {
    pattern.lastIndex = from
    return pattern.exec(source)?.index ?? -1
  }
}

/**
 * Forward-only searches cache their result, so that text full of unclosed openings costs one pass
 * over the document instead of one per opening.
 */
const makeFinder = (search: (from: number) => number): ((from: number) => number) => {
  let searchedFrom = 0
  let found = -2
  return (from) => {
    const isKnown = found !== -2 && from >= searchedFrom && (found === -1 || found >= from)
    if (!isKnown) {
      searchedFrom = from
      found = search(from)
    }
    return found
  }
}
