export type Pronunciations = Readonly<Record<string, string>>

/**
 * Replaces terms by phonetic spellings: whole words, case-sensitive, without repeated replacement.
 */
export const createPronouncer = (terms: Pronunciations): ((text: string) => string) => {
  // Longest first, so that a term inside another does not win.
  const names = Object.keys(terms)
    .filter((term) => term !== '')
    .toSorted((a, b) => b.length - a.length)
  if (names.length === 0) return (text) => text
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}_])(?:${names.map(quote).join('|')})(?![\\p{L}\\p{N}_])`,
    'gu',
  )
  return (text) => text.replace(pattern, (term) => terms[term] ?? term)
}

const quote = (term: string): string => term.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
