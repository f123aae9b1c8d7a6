const LONGEST_CHARS = 80

/**
 * A title that cannot end or forge an escape sequence: one short line without control or
 * bidirectional characters.
 */
export const cleanTitle = (text: string): string => {
  const line = text
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, ' ')
    .replaceAll(/[\u2028\u2029\u200E\u200F\u061C\u202A-\u202E\u2066-\u2069]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  // A short line needs no character count, which requires a table that is slow to build.
  if (line.length <= LONGEST_CHARS) return line
  const chars = [...new Intl.Segmenter().segment(line)].map(({ segment }) => segment)
  return chars.length <= LONGEST_CHARS ? line : `${chars.slice(0, LONGEST_CHARS - 1).join('')}…`
}
