const START = /^(#{1,6})[ \t]+/

/**
 * The level and the title of a Markdown heading: `## Title ##`. The end is cut by hand, because a
 * pattern for it would try every run of blanks and hashes in a long line.
 */
export const readHeading = (line: string): { level: number; title: string } | undefined => {
  const [start, hashes = ''] = START.exec(line) ?? []
  if (start === undefined) return undefined
  const marked = withoutEnd(line.slice(start.length), BLANKS)
  return { level: hashes.length, title: withoutEnd(withoutEnd(marked, '#'), BLANKS) }
}

const BLANKS = ' \t\r'

const withoutEnd = (text: string, chars: string): string => {
  let end = text.length
  while (end > 0 && chars.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}
