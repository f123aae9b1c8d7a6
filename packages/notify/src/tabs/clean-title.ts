const LONGEST_CHARS = 80

/**
 * A title that can end no escape sequence and forge no other: control characters and what reorders
 * the text around it are taken out, and it is one short line.
 */
export const cleanTitle = (text: string): string => {
  const line = text
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, ' ')
    .replaceAll(/[\u2028\u2029\u200E\u200F\u061C\u202A-\u202E\u2066-\u2069]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  // No longer in characters than in code units, and to count them takes a table that is slow to make.
  if (line.length <= LONGEST_CHARS) return line
  const chars = [...new Intl.Segmenter().segment(line)].map(({ segment }) => segment)
  return chars.length <= LONGEST_CHARS ? line : `${chars.slice(0, LONGEST_CHARS - 1).join('')}…`
}
