import { isNameStart, scanName, scanTagEnd } from './scan-tag.ts'
import type { SkipMarkup } from './skip-markup.ts'
import { BOUNDARIES, KNOWN } from './vocabulary.ts'

/**
 * Where an element's text ends, and where to continue after it: -1 if the document is truncated.
 */
interface TextEnd {
  innerEnd: number
  next: number
}

/** Finds the end of the text element `tag` (lower case) whose start tag ends at `from`. */
export type ReadText = (from: number, tag: string, resolve: (tag: string) => string) => TextEnd

/** Feeds use few names; a document with more unclosed ones is an attack on performance. */
const MAX_UNENDED = 64

export const makeTextReader = (source: string, skip: SkipMarkup): ReadText => {
  /** Ranges known to contain no end tag of a name, so that each is searched once. */
  const unended = new Map<string, { from: number; to: number }>()

  const isTag = (at: number, tag: string): boolean => {
    if ((source.charCodeAt(at) | 0x20) !== tag.charCodeAt(0)) return false
    const end = at + tag.length
    if (scanName(source, at) !== end) return false
    return source.startsWith(tag, at) || source.slice(at, end).toLowerCase() === tag
  }

  const isBoundary = (at: number): boolean =>
    BOUNDARIES.has(source.slice(at, scanName(source, at)).toLowerCase())

  /** The matching end tag, skipping nested elements of the same name; -1 if there is none. */
  const findEnd = (from: number, tag: string): number => {
    const known = unended.get(tag)
    if (known !== undefined && from >= known.from && from < known.to) return -1
    if (unended.size > MAX_UNENDED) return -1
    let depth = 0
    let lastEnd = -1
    let at = source.indexOf('<', from)
    for (; at !== -1; at = source.indexOf('<', at)) {
      const code = source.charCodeAt(at + 1)
      if (code === 0x2f) {
        if (isTag(at + 2, tag)) {
          lastEnd = at
          if (depth === 0) return at
          depth--
        } else if (isBoundary(at + 2)) break
        at += 2
      } else if (code === 0x21) at = skip(at, tag)
      else if (isNameStart(code) && isTag(at + 1, tag)) {
        const end = scanTagEnd(source, at + 1 + tag.length)
        if (end === -1) break
        if (source.charCodeAt(end - 1) !== 0x2f) depth++
        at = end
      } else at++
    }
    if (lastEnd === -1) {
      unended.set(tag, { from, to: at === -1 ? Number.POSITIVE_INFINITY : at })
    }
    return lastEnd
  }

  /** Without an end tag, the text ends where the next feed element begins or its item ends. */
  const findNeighbour = (from: number, resolve: (tag: string) => string): number => {
    for (let at = source.indexOf('<', from); at !== -1; at = source.indexOf('<', at)) {
      const code = source.charCodeAt(at + 1)
      if (code === 0x2f && isBoundary(at + 2)) return at
      if (isNameStart(code)) {
        const name = resolve(source.slice(at + 1, scanName(source, at + 1)))
        if (KNOWN.has(name) && name !== 'a') return at
      }
      at = code === 0x21 ? skip(at, '') : at + 1
    }
    return -1
  }

  return (from, tag, resolve) => {
    const end = findEnd(from, tag)
    if (end !== -1) {
      const tagEnd = scanTagEnd(source, end + 2 + tag.length)
      if (tagEnd === -1) return { innerEnd: end, next: -1 }
      return { innerEnd: end, next: source.charCodeAt(tagEnd) === 0x3e ? tagEnd + 1 : tagEnd }
    }
    const neighbour = findNeighbour(from, resolve)
    if (neighbour === -1) return { innerEnd: source.length, next: -1 }
    return { innerEnd: neighbour, next: neighbour }
  }
}
