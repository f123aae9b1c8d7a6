import { isFiller } from './everyday-words.ts'
import type { Element, Phrase } from './phrase.ts'
import type { Token } from './token.ts'

export interface Match {
  start: number
  end: number
}

/** Where a phrase first stands in a request and is meant: not denied, not part of something else. */
export const matchPhrase = (phrase: Phrase, tokens: readonly Token[]): Match | undefined => {
  if (phrase.elements.length === 0) return undefined
  for (const [start, token] of tokens.entries()) {
    if (phrase.atHead && !token.isHead) continue
    const end = matchFrom({ tokens, start, denies: phrase.denies }, phrase.elements, start, false)
    if (end !== undefined) return { start, end }
  }
  return undefined
}

interface Search {
  tokens: readonly Token[]
  start: number
  denies: boolean
}

/** The end of a match of `elements` from `at` on. Fillers may stand between two words, never before the first. */
const matchFrom = (
  search: Search,
  [element, ...rest]: readonly Element[],
  at: number,
  maySkip: boolean,
): number | undefined => {
  if (element === undefined) return at
  if (element.kind === 'gap') return matchGap(search, element.words, rest, at)
  const token = search.tokens[at]
  if (token === undefined || isElsewhere(search, token)) return undefined
  const found =
    element.kind === 'word'
      ? isMeant(search, token, element.stem)
        ? matchFrom(search, rest, at + 1, true)
        : undefined
      : matchAny(search, element.options, rest, at)
  if (found !== undefined || !maySkip || !isFiller(token.lower)) return found
  return matchFrom(search, [element, ...rest], at + 1, true)
}

const isElsewhere = ({ tokens, start }: Search, token: Token): boolean =>
  token.sentence !== tokens[start]?.sentence

const isMeant = ({ start, denies }: Search, token: Token, stem: string): boolean => {
  if (token.stem !== stem || token.isOther) return false
  return token.deniedBy === undefined || (denies && token.deniedBy >= start)
}

const matchAny = (
  search: Search,
  options: readonly (readonly Element[])[],
  rest: readonly Element[],
  at: number,
): number | undefined => {
  for (const option of options) {
    const found = matchFrom(search, [...option, ...rest], at, false)
    if (found !== undefined) return found
  }
  return undefined
}

const matchGap = (
  search: Search,
  words: number,
  rest: readonly Element[],
  at: number,
): number | undefined => {
  for (let skipped = 0; skipped <= words; skipped += 1) {
    const token = search.tokens[at + skipped]
    if (token === undefined || isElsewhere(search, token)) return undefined
    const found = matchFrom(search, rest, at + skipped, true)
    if (found !== undefined) return found
  }
  return undefined
}
