import { standsAlone } from './fold-words.ts'
import type { Wanted } from './parse-query.ts'

/** Words in a row; the last may be the beginning of one. */
export interface Phrase {
  terms: readonly string[]
  prefix: boolean
}

/** What a document must have one of. */
export interface Group {
  /** As typed, folded. */
  text: string
  phrases: readonly Phrase[]
  /** What was looked for in place of a word that nobody wrote. */
  corrections: readonly string[]
}

export interface WordLookup {
  has: (term: string) => boolean
  hasPrefix: (prefix: string) => boolean
  nearTo: (term: string) => string[]
}

const SHORTEST_PREFIX = 2

/** Decides what is looked for: the words, what they begin, or what they were meant to be. */
export const expandQuery = (wanted: readonly Wanted[], lookup: WordLookup): Group[] =>
  wanted.flatMap(({ words, quoted, last }) => {
    if (quoted) return [exactly(words)]
    const final = words.at(-1) ?? ''
    const begun = words.slice(0, -1)
    const isKnown = lookup.has(final) || (last && lookup.hasPrefix(final))
    if (words.length > 1 && (standsAlone(final) || (isKnown && begun.every(lookup.has)))) {
      return [{ ...exactly(words), phrases: [{ terms: words, prefix: last && canBegin(final) }] }]
    }
    return words.map((word) => expandWord(word, last && word === final, lookup))
  })

const expandWord = (word: string, last: boolean, lookup: WordLookup): Group => {
  const whole = exactly([word])
  const begins = last && canBegin(word) && lookup.hasPrefix(word)
  // The whole word stands beside its beginning, so that it counts twice and comes first.
  if (begins) return { ...whole, phrases: [...whole.phrases, { terms: [word], prefix: true }] }
  if (lookup.has(word)) return whole
  const corrections = lookup.nearTo(word)
  if (corrections.length === 0) return whole
  return {
    text: word,
    phrases: corrections.map((term) => ({ terms: [term], prefix: false })),
    corrections,
  }
}

const exactly = (words: readonly string[]): Group => ({
  text: words.join(' '),
  phrases: [{ terms: words, prefix: false }],
  corrections: [],
})

const canBegin = (word: string): boolean => word.length >= SHORTEST_PREFIX && !standsAlone(word)

/** The groups in the database's own query language; terms are letters and digits, so nothing in them means more. */
export const toExpression = (groups: readonly Group[], joint: 'AND' | 'OR'): string =>
  groups.map(({ phrases }) => `(${phrases.map(writePhrase).join(' OR ')})`).join(` ${joint} `)

const writePhrase = ({ terms, prefix }: Phrase): string =>
  `"${terms.join(' ')}"${prefix ? ' *' : ''}`
