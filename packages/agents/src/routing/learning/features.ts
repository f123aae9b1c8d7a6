import type { Token } from '../token.ts'

/** A property of a request that the classifier weighs, and the words it comes from. */
export interface Feature {
  name: string
  words: readonly Token[]
}

const PREFIX_CHARS = 5

/**
 * The features of a request: its words, their beginnings (for misspelled and inflected ones), the
 * first word of each part, pairs of neighbours, and the word sets of the table.
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
  for (const token of tokens) {
    if (token.isOther) continue
    const { stem } = token
    add(stem, token)
    if (token.isHead) add(`^${stem}`, token)
    if (stem.length > PREFIX_CHARS) add(`${stem.slice(0, PREFIX_CHARS)}*`, token)
    add(`${before?.stem ?? ''}_${stem}`, ...(before === undefined ? [] : [before]), token)
    for (const set of setsOf.get(stem) ?? []) add(`{${set}}`, token)
    before = token
  }
  return [...found.values()]
}
