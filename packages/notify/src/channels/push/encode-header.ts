/** Text that a header can contain unchanged; `=?` would start an encoded word. */
const PLAIN = /^(?!.*=\?)[\x20-\x7e]*$/s
/**
 * An encoded word has at most 75 characters (RFC 2047, section 2), which fits this many bytes of
 * base64.
 */
const WORD_BYTES = 45

/**
 * A header value for any text. ntfy also reads raw UTF-8 in headers, but `fetch` cannot send it and
 * proxies may corrupt it; ntfy decodes RFC 2047 words in every header.
 */
export const encodeHeader = (line: string): string => {
  if (PLAIN.test(line)) return line
  return wordsOf(line)
    .map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`)
    .join(' ')
}

/**
 * Characters are not split between words; the space between two encoded words is not part of the
 * text.
 */
const wordsOf = (line: string): string[] => {
  const words: string[] = []
  let word = ''
  for (const char of line) {
    if (Buffer.byteLength(word + char) > WORD_BYTES) {
      words.push(word)
      word = ''
    }
    word += char
  }
  return [...words, word]
}
