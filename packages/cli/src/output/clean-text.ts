/** Makes untrusted text safe for a terminal by removing escape sequences. */
export const cleanText = (text: string): string =>
  Array.from(text, (char) => (isControl(char) ? '\uFFFD' : char)).join('')

const isControl = (char: string): boolean => {
  const point = char.codePointAt(0) ?? 0
  if (char === '\n' || char === '\t') return false
  return point < 0x20 || (point >= 0x7f && point <= 0x9f)
}
