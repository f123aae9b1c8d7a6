/** The words of a filter; quotes keep spaces together. */
const wordsOf = (filter: string): string[] => filter.match(/-?(?:[a-z]+:)?"[^"]*"?|\S+/gi) ?? []

/** The value of a `key:` in a filter. */
export const readValue = (filter: string, key: string): string | undefined =>
  wordsOf(filter)
    .find((word) => word.startsWith(`${key}:`))
    ?.slice(key.length + 1)
    .replaceAll('"', '') || undefined

export const hasWord = (filter: string, word: string): boolean => wordsOf(filter).includes(word)

/** Adds a word, or takes it away; one `key:` has one value at a time. */
export const toggleWord = (filter: string, word: string): string => {
  const words = wordsOf(filter)
  if (words.includes(word)) return words.filter((each) => each !== word).join(' ')
  const [key] = word.split(':', 1)
  return [...words.filter((each) => !each.startsWith(`${key}:`)), word].join(' ')
}
