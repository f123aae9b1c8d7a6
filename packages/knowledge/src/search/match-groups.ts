import { standsAlone } from './fold-words.ts'
import type { Wanted } from './parse-query.ts'

/** Consecutive words; the last may be a prefix. */
export interface Phrase {
  terms: readonly string[]
  prefix: boolean
}

/** A document must contain one of its phrases. */
export interface Group {
  /** As typed, folded. */
  text: string
  phrases: readonly Phrase[]
  /** Replacements for a word that no document has. */
  corrections: readonly string[]
}

export interface WordLookup {
  has: (term: string) => boolean
  hasPrefix: (prefix: string) => boolean
  nearTo: (term: string) => string[]
}

const SHORTEST_PREFIX = 2

/** Expands a query: the words, prefixes, or corrections. */
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
  // The whole word is added to its prefix, so that exact matches rank first.
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

/**
 * The groups in the FTS query language; terms only contain letters and digits, so no escaping is
 * needed.
 */
export const toExpression = (groups: readonly Group[], joint: 'AND' | 'OR'): string =>
  groups.map(({ phrases }) => `(${phrases.map(writePhrase).join(' OR ')})`).join(` ${joint} `)

const writePhrase = ({ terms, prefix }: Phrase): string =>
  `"${terms.join(' ')}"${prefix ? ' *' : ''}`
