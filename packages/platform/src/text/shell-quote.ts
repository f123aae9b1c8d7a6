/** As one word of a shell, whatever is in it. */
export const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

export const quoteAll = (words: readonly string[]): string => words.map(quote).join(' ')
