/** Quotes a text as one shell word. */
export const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The word as it is, if a shell reads it so. */
export const quoteIfNeeded = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : quote(word)

export const quoteAll = (words: readonly string[]): string => words.map(quote).join(' ')
