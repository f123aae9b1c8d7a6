/**
 * Whether a text has a line break or other control character, which could start another mail
 * header.
 */
export const hasControlCharacters = (text: string): boolean => /\p{Cc}/u.test(text)
