import type { Token } from '../token.ts'

/** A property of a request that the classifier weighs, and the words it comes from. */
export interface Feature {
  name: string
  words: readonly Token[]
}

const PREFIX_CHARS = 5

const QUESTION_WORDS: ReadonlySet<string> = new Set([
  ...['where', 'how', 'what', 'why', 'which', 'who', 'is', 'are', 'does', 'do', 'can'],
  ...['wo', 'wie', 'was', 'warum'],
])

/** Lengths of requests in words: up to each of these, or more than the last. */
const LENGTHS: readonly number[] = [2, 4, 8, 14]

/**
 * The features of a request: its words, their beginnings (for misspelled and inflected ones), the
 * first word of each part, pairs of neighbours, the word sets of the table, its length, and whether
 * it is a question.
 */
export const featuresOf = (
  tokens: readonly Token[],
  setsOf: ReadonlyMap<string, readonly string[]>,
): Feature[] => {
  const found = new Map<string, Feature>()
  const add = (name: string, ...words: Token[]): void => {
    if (!found.has(name)) found.set(name, { name, words })
  }
  let before: Token | undefined
  let count = 0
  for (const token of tokens) {
    if (token.isOther) continue
    const { stem } = token
    add(stem, token)
    if (token.isHead) add(`^${stem}`, token)
    if (stem.length > PREFIX_CHARS) add(`${stem.slice(0, PREFIX_CHARS)}*`, token)
    add(`${before?.stem ?? ''}_${stem}`, ...(before === undefined ? [] : [before]), token)
    for (const set of setsOf.get(stem) ?? []) add(`{${set}}`, token)
    before = token
    count += 1
  }
  const [first] = tokens
  if (first === undefined) return []
  add(`#${LENGTHS.find((length) => count <= length) ?? ''}`)
  if (QUESTION_WORDS.has(first.lower) || tokens.some(({ isAsked }) => isAsked)) add('?', first)
  else add('!')
  return [...found.values()]
}
