import type { Token } from '../token.ts'

/** A property of a request that the classifier weighs, and the words it comes from. */
export interface Feature {
  name: string
  words: readonly Token[]
}

/** Words with the same beginning are mostly forms or misspellings of one word. */
const WORD_CHARS = 6

const QUESTION_WORDS: ReadonlySet<string> = new Set([
  ...['where', 'how', 'what', 'why', 'which', 'who', 'is', 'are', 'does', 'do', 'can'],
  ...['wo', 'wie', 'was', 'warum'],
])

/** Lengths of requests in words: up to each of these, or more than the last. */
const LENGTHS: readonly number[] = [2, 4, 8, 14]

/**
 * The features of a request: the beginnings of its words, once more those of the first word of each
 * part, the word sets of the table, its length, and whether it is a question.
 */
export const featuresOf = (
  tokens: readonly Token[],
  setsOf: ReadonlyMap<string, readonly string[]>,
): Feature[] => {
  const found = new Map<string, Feature>()
  const add = (name: string, ...words: Token[]): void => {
    if (!found.has(name)) found.set(name, { name, words })
  }
  let count = 0
  for (const token of tokens) {
    if (token.isOther) continue
    const start = token.stem.slice(0, WORD_CHARS)
    add(start, token)
    if (token.isHead) add(`^${start}`, token)
    for (const set of setsOf.get(token.stem) ?? []) add(`{${set}}`, token)
    count += 1
  }
  const [first] = tokens
  if (first === undefined) return []
  add(`#${LENGTHS.find((length) => count <= length) ?? ''}`)
  if (QUESTION_WORDS.has(first.lower) || tokens.some(({ isAsked }) => isAsked)) add('?', first)
  else add('!')
  return [...found.values()]
}
