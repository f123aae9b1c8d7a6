import { foldWords } from './fold-words.ts'

/** One part of a query: words that belong together. */
export interface Wanted {
  words: string[]
  /** In quotation marks: an exact phrase. */
  quoted: boolean
  /** The person may still be typing it. */
  last: boolean
}

const PART = /"([^"]*)("?)|[^\s"]+/g
const MOST_PARTS = 16

/** Words, and "phrases in quotation marks". Nothing else is special, so every query is valid. */
export const parseQuery = (query: string): Wanted[] => {
  const parts = [...query.matchAll(PART)].slice(0, MOST_PARTS)
  const ended = /\s$/.test(query)
  return parts.flatMap(({ 0: whole, 1: inner }, at) => {
    const words = foldWords(inner ?? whole)
    if (words.length === 0) return []
    const quoted = inner !== undefined
    return [{ words, quoted, last: !quoted && !ended && at === parts.length - 1 }]
  })
}
