/**
 * Makes text safe to display: well-formed, with line breaks and tabs, without other control
 * characters.
 */
export const cleanText = (text: string): string =>
  text.toWellFormed().replace(/\r\n?/g, '\n').replace(CONTROL, '')

/** The same as one line, so that it cannot end a header, an escape sequence or an argument. */
export const cleanLine = (text: string): string =>
  text.toWellFormed().replace(BREAKS, ' ').replace(CONTROL, '').replace(/ {2,}/g, ' ').trim()

/** All line breaks that any reader may recognise, including the two of Unicode. */
const BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/g
const CONTROL = /[^\P{Cc}\t\n]/gu
