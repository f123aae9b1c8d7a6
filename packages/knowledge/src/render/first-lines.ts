/**
 * The beginning of a text up to a number of lines. Parsing takes time per line, and a hostile text
 * consists of nothing but short ones.
 */
export const firstLines = (text: string, most: number): string => {
  let end = -1
  for (let count = 0; count < most; count++) {
    end = text.indexOf('\n', end + 1)
    if (end === -1) return text
  }
  return text.slice(0, end)
}
