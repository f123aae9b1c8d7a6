/** Text as a service may show it: well-formed, line breaks and tabs kept, other control characters gone. */
export const cleanText = (text: string): string =>
  text.toWellFormed().replace(/\r\n?/g, '\n').replace(CONTROL, '')

/** The same as one line: nothing in it can end a header, an escape sequence or an argument. */
export const cleanLine = (text: string): string =>
  text.toWellFormed().replace(BREAKS, ' ').replace(CONTROL, '').replace(/ {2,}/g, ' ').trim()

/** Line breaks as any reader may understand them, the two of Unicode too. */
const BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/g
const CONTROL = /[^\P{Cc}\t\n]/gu
