/** Escapes untrusted text as one line of Markdown that renders as exactly that text. */
export const escapeInline = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\`*[\]<>|~$]/g, '\\$&')
    // Within a word an underscore is literal, and `snake_case` should stay readable.
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
    .replace(/&(?=#?\w+;)/g, '\\&')

/** Also escapes the start of a line, where `#`, `-`, `1.` and similar would start a block. */
export const escapeLine = (text: string): string =>
  escapeInline(text)
    .replace(/^([#+=-])/, '\\$1')
    .replace(/^(\d+)([.)])/, '$1\\$2')

/** Keeps paragraphs; everything else is literal. */
export const escapeParagraphs = (text: string): string =>
  text
    .split(/\n\s*\n/)
    .map(escapeLine)
    .filter((paragraph) => paragraph !== '')
    .join('\n\n')

/** A link if the address is http or https; otherwise only its text. */
export const linkTo = (text: string, address: string): string => {
  const label = escapeInline(text)
  const url = URL.parse(address.trim())
  if (url === null || !/^https?:$/.test(url.protocol)) return label
  const target = url.href.replace(/[()<>\\\s]/g, (char) =>
    encodeURIComponent(char).replace('(', '%28').replace(')', '%29'),
  )
  return `[${label}](${target})`
}
