import { WINDOWS_1252 } from './entities.ts'

const CONTROL = /[^\P{Cc}\t\n\r]/u
const FORBIDDEN = /[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu

/** A single pattern for both is slower, and the whole document is searched. */
const hasForbidden = (text: string): boolean =>
  CONTROL.test(text) || text.includes('\ufffe') || text.includes('\uffff')

/**
 * Removes characters that XML forbids and normalises line ends as XML does. Controls from 128 to
 * 159 are windows-1252 letters that were mistaken for Latin 1.
 */
export const tidySource = (text: string): string => {
  const clean = hasForbidden(text) ? text.replace(FORBIDDEN, toLetter) : text
  const lines = clean.includes('\r') ? clean.replace(/\r\n?/g, '\n') : clean
  return lines.startsWith('\ufeff') ? lines.replace(/^\ufeff+/, '') : lines
}

const toLetter = (control: string): string => {
  const code = control.charCodeAt(0)
  const letter = code >= 0x80 && code < 0xa0 ? WINDOWS_1252.charAt(code - 0x80) : ''
  return letter.charCodeAt(0) < 0xa0 ? '' : letter
}
