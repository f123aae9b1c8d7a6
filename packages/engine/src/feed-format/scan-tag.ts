const QUOTE = 0x22
const APOSTROPHE = 0x27
const LESS = 0x3c
const EQUALS = 0x3d
const GREATER = 0x3e
const SLASH = 0x2f

export const isNameStart = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f || code >= 0x80

/** Where the name that begins at `from` ends. */
export const scanName = (source: string, from: number): number => {
  let at = from
  for (; at < source.length; at++) {
    const code = source.charCodeAt(at)
    if (code <= 0x20 || code === SLASH || code === GREATER || code === LESS || code === EQUALS)
      break
  }
  return at
}

/**
 * The position of the tag's `>`, skipping quoted values; of the next `<` if the tag is unclosed; -1
 * if the document ends first.
 */
export const scanTagEnd = (source: string, from: number): number => {
  let at = from
  while (at < source.length) {
    const code = source.charCodeAt(at)
    if (code === GREATER || code === LESS) return at
    if ((code === QUOTE || code === APOSTROPHE) && isAfterEquals(source, at)) {
      at = skipQuoted(source, at)
    } else at++
  }
  return -1
}

const isAfterEquals = (source: string, quoteAt: number): boolean => {
  let at = quoteAt - 1
  while (source.charCodeAt(at) <= 0x20) at--
  return source.charCodeAt(at) === EQUALS
}

/** A value that extends past this tag into the next one has lost its closing quote. */
const skipQuoted = (source: string, quoteAt: number): number => {
  const quote = source.charCodeAt(quoteAt)
  let endOfTag = -1
  for (let at = quoteAt + 1; at < source.length; at++) {
    const code = source.charCodeAt(at)
    if (code === quote) return at + 1
    if (code === GREATER && endOfTag === -1) endOfTag = at
    if (code === LESS && endOfTag !== -1) return endOfTag
  }
  return endOfTag === -1 ? source.length : endOfTag
}
