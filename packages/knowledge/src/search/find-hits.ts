import type { Word } from './fold-words.ts'
import type { Group, Phrase } from './match-groups.ts'

/** A place in a text that a group of a query fits. */
export interface Hit {
  group: number
  start: number
  end: number
}

/** Every place that fits, in the order of the text. */
export const findHits = (words: readonly Word[], groups: readonly Group[]): Hit[] => {
  const hits: Hit[] = []
  for (const [at, { start }] of words.entries()) {
    for (const [group, { phrases }] of groups.entries()) {
      const length = longestFit(words, at, phrases)
      if (length > 0) hits.push({ group, start, end: words[at + length - 1]?.end ?? start })
    }
  }
  return hits
}

const longestFit = (words: readonly Word[], at: number, phrases: readonly Phrase[]): number => {
  let longest = 0
  for (const { terms, prefix } of phrases) {
    if (terms.length <= longest) continue
    const fits = terms.every((term, step) => {
      const found = words[at + step]?.term
      return found === term || (prefix && step === terms.length - 1 && found?.startsWith(term))
    })
    if (fits) longest = terms.length
  }
  return longest
}
