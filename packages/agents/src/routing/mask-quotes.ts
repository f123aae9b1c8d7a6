/** Replaces quoted text, which is mentioned and not requested. */
export const QUOTE_MARK = '\u{fffc}'

const CURLY = /[\u2018\u2019\u201b]/g
/** `where's` is a question, not a possessive. */
const ASKS = /\b(where|what|how|who|which|when|why|it|that|there)'s\b/gi

const PAIRS: readonly RegExp[] = [
  /\x60{3}[\s\S]*?(?:\x60{3}|$)/g,
  /\x60[^\x60\n]*\x60/g,
  /"[^"]*"/g,
  /\u201c[^\u201d]*\u201d/g,
  /\u201e[^\u201c\u201d]*[\u201c\u201d]/g,
  /\u00ab[^\u00bb]*\u00bb/g,
  // An apostrophe inside a word does not open a quotation.
  /(?<![\p{L}\p{N}])'[^'\n]+(?:'(?=\p{L})[^'\n]*){0,20}'(?![\p{L}\p{N}])/gu,
]

/** A quotation of one or two words may be a name: `launch \`Forge\``. */
const NAME = /^[\p{L}][\p{L}\p{N}]*(?:[- ][\p{L}\p{N}]+)?$/u

export interface MaskedText {
  text: string
  /** Short quotations, which may be names of agents. */
  quoted: string[]
}

/**
 * Removes quotations, code and quoted lines from a request; one that is quoted as a whole is the
 * request itself.
 */
export const maskQuotes = (request: string): MaskedText => {
  const plain = unwrap(request.normalize('NFKC').replace(CURLY, "'").trim()).replace(ASKS, '$1 is')
  const quoted: string[] = []
  let text = plain.replace(/^[ \t]*>.*$/gm, ` ${QUOTE_MARK} `)
  for (const pair of PAIRS) {
    text = text.replace(pair, (whole) => {
      const inner = whole
        .replace(/^\x60+|\x60+$/g, '')
        .replace(/^.|.$/gu, (char) => (/["'\u201c-\u201e\u00ab\u00bb]/.test(char) ? '' : char))
      if (NAME.test(inner)) quoted.push(inner)
      return ` ${QUOTE_MARK} `
    })
  }
  return { text, quoted }
}

const unwrap = (text: string): string => {
  const match = /^(["'\x60])([\s\S]+)\1$/.exec(text)
  if (match?.[2] === undefined || match[2].includes(match[1] ?? '')) return text
  return match[2].trim()
}
