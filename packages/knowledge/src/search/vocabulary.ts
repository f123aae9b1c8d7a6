import { editDistance } from './edit-distance.ts'
import { standsAlone } from './fold-words.ts'

/** The words of all documents, for correcting typos. */
export interface Vocabulary {
  add: (terms: Iterable<string>) => void
  /** The nearest words to an unknown one; empty if it is too short or too different. */
  nearTo: (term: string) => string[]
}

const SHORTEST = 4
const MOST_CORRECTIONS = 5

export const createVocabulary = (initial: Iterable<string>): Vocabulary => {
  const terms = new Map<string, number>()
  const add = (added: Iterable<string>): void => {
    for (const term of added) if (!terms.has(term)) terms.set(term, lettersOf(term))
  }
  add(initial)
  return {
    add,
    nearTo: (wanted) => {
      const most = slipsFor(wanted)
      if (most === 0 || standsAlone(wanted)) return []
      const letters = lettersOf(wanted)
      let best: { edits: number; found: string[] } = { edits: most, found: [] }
      for (const [term, own] of terms) {
        // Each edit adds and removes at most one letter, which excludes most words quickly.
        if (countBits(letters ^ own) > 2 * best.edits) continue
        const edits = editDistance(wanted, term, best.edits)
        if (edits === undefined) continue
        if (edits < best.edits) best = { edits, found: [term] }
        else best.found.push(term)
      }
      return best.found
        .toSorted((a, b) => likeness(b, wanted) - likeness(a, wanted) || (a < b ? -1 : 1))
        .slice(0, MOST_CORRECTIONS)
    },
  }
}

const slipsFor = (term: string): number => {
  if (term.length < SHORTEST) return 0
  return term.length < 8 ? 1 : 2
}

/** People rarely mistype the first letter. */
const likeness = (term: string, wanted: string): number => (term[0] === wanted[0] ? 1 : 0)

/** The letters of a word as bits; other characters share the last ones. */
const lettersOf = (term: string): number => {
  let letters = 0
  for (let at = 0; at < term.length; at++) {
    const code = term.charCodeAt(at)
    letters |= 1 << (code >= 97 && code <= 122 ? code - 97 : 26 + (code % 6))
  }
  return letters
}

const countBits = (bits: number): number => {
  let rest = bits - ((bits >>> 1) & 0x55555555)
  rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333)
  return (((rest + (rest >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24
}
