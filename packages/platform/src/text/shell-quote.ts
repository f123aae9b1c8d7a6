/** Quotes a text as one shell word. */
export const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

export const quoteAll = (words: readonly string[]): string => words.map(quote).join(' ')
