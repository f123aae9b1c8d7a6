/** What may stand in a header as it is; `=?` would be taken for the beginning of an encoded word. */
const PLAIN = /^(?!.*=\?)[\x20-\x7e]*$/s
/** An encoded word has at most 75 characters (RFC 2047, section 2): so many bytes fit into its base64. */
const WORD_BYTES = 45

/**
 * A header value with any text in it. ntfy reads raw UTF-8 in headers too, but `fetch` cannot send
 * it, and proxies on the way may spoil it; encoded words of RFC 2047 it decodes in every header.
 */
export const encodeHeader = (line: string): string => {
  if (PLAIN.test(line)) return line
  return wordsOf(line)
    .map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`)
    .join(' ')
}

/** No character is split between two words; the space between two encoded words is not part of the text. */
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
