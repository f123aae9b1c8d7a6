/** Whether a text has a line break or other control character: in a mail header it could start another. */
export const hasControlCharacters = (text: string): boolean => /\p{Cc}/u.test(text)
