import { isFiller } from './everyday-words.ts'
import type { Element, Phrase } from './phrase.ts'
import type { Token } from './token.ts'

export interface Match {
  start: number
  end: number
}

/**
 * The first occurrence of a phrase that is really meant: not negated, not part of another phrase.
 */
export const matchPhrase = (phrase: Phrase, tokens: readonly Token[]): Match | undefined => {
  for (const [start, token] of tokens.entries()) {
    if (!phrase.begins.has(token.stem) || (phrase.atHead && !token.isHead)) continue
    const search = { tokens, sentence: token.sentence, start, denies: phrase.denies }
    const end = matchFrom(search, phrase.elements, 0, start, false, (at) => at)
    if (end !== undefined) return { start, end }
  }
  return undefined
}

interface Search {
  tokens: readonly Token[]
  sentence: number
  start: number
  denies: boolean
}

type Next = (at: number) => number | undefined

/** The end of a match from `at` on. Fillers may occur between two words, never before the first. */
const matchFrom = (
  search: Search,
  elements: readonly Element[],
  index: number,
  at: number,
  maySkip: boolean,
  next: Next,
): number | undefined => {
  const element = elements[index]
  if (element === undefined) return next(at)
  const goOn: Next = (from) => matchFrom(search, elements, index + 1, from, true, next)
  if (element.kind === 'gap') return matchGap(search, element.words, at, goOn)
  const token = search.tokens[at]
  if (token === undefined || token.sentence !== search.sentence) return undefined
  const found = isMeant(search, token) ? matchElement(search, element, token, at, goOn) : undefined
  if (found !== undefined || !maySkip || !isFiller(token.lower)) return found
  return matchFrom(search, elements, index, at + 1, true, next)
}

const isMeant = ({ start, denies }: Search, { isOther, deniedBy }: Token): boolean =>
  !isOther && (deniedBy === undefined || (denies && deniedBy >= start))

const matchElement = (
  search: Search,
  element: Exclude<Element, { kind: 'gap' }>,
  token: Token,
  at: number,
  goOn: Next,
): number | undefined => {
  if (element.kind === 'word') return element.stem === token.stem ? goOn(at + 1) : undefined
  for (const option of element.options.get(token.stem) ?? []) {
    const found = matchFrom(search, option, 0, at, false, goOn)
    if (found !== undefined) return found
  }
  return undefined
}

const matchGap = (search: Search, words: number, at: number, goOn: Next): number | undefined => {
  for (let skipped = 0; skipped <= words; skipped += 1) {
    if (search.tokens[at + skipped]?.sentence !== search.sentence) return undefined
    const found = goOn(at + skipped)
    if (found !== undefined) return found
  }
  return undefined
}
