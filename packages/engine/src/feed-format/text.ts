import { decodeEntities, decodeNumeric } from './entities.ts'

/** An element's text with CDATA sections and references resolved. */
export interface ElementText {
  value: string
  /** It contained elements: `value` is their markup with unresolved references. */
  isMarkup: boolean
}

const CDATA = '<![CDATA['
const TAG = /<\/?[a-zA-Z][^<>]*>/

/** Reads the markup between an element's tags; `escapeCdata` if the result must stay markup. */
export const readElementText = (inner: string, escapeCdata = false): ElementText => {
  if (!inner.includes('<')) return { value: decodeEntities(inner).trim(), isMarkup: false }
  const pieces = splitCdata(inner)
  const isMarkup = pieces.some((piece) => !piece.isCdata && TAG.test(piece.text))
  const value = pieces.map(({ text, isCdata }) => {
    if (isCdata) return escapeCdata && isMarkup ? escapeMarkup(text) : text
    return isMarkup ? text : decodeEntities(text)
  })
  return { value: value.join('').trim(), isMarkup }
}

interface Piece {
  text: string
  isCdata: boolean
}

const splitCdata = (inner: string): Piece[] => {
  const pieces: Piece[] = []
  let at = 0
  while (at < inner.length) {
    const open = inner.indexOf(CDATA, at)
    const plain = open === -1 ? inner.slice(at) : inner.slice(at, open)
    if (plain !== '') pieces.push({ text: dropComments(plain), isCdata: false })
    if (open === -1) break
    const end = inner.indexOf(']]>', open)
    const text = inner.slice(open + CDATA.length, end === -1 ? inner.length : end)
    pieces.push({ text: end === -1 ? text.replace(/\]{1,2}\s*$/, '') : text, isCdata: true })
    at = end === -1 ? inner.length : end + 3
  }
  return pieces
}

/** Hand-written, because a regular expression would search to the end for each unclosed comment. */
const dropComments = (text: string): string => {
  let kept = ''
  let from = 0
  for (let at = text.indexOf('<!--'); at !== -1; at = text.indexOf('<!--', from)) {
    const end = text.indexOf('-->', at)
    if (end === -1) break
    kept += text.slice(from, at)
    from = end + '-->'.length
  }
  return kept + text.slice(from)
}

const escapeMarkup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const FORMATTING =
  /<\/?(?:a|abbr|acronym|b|big|blink|br|center|cite|code|del|div|em|font|h[1-6]|hr|i|img|ins|kbd|li|mark|nobr|ol|p|q|s|samp|small|span|strike|strong|sub|sup|tt|u|ul|var|wbr)(?:\s[^<>]*)?\/?>/gi
const ANY_TAG = /<\/?[a-zA-Z][^<>]*>/g

/** The tags a one-line text may contain: none, formatting tags, or any. */
export type TextKind = 'plain' | 'formatted' | 'html'

/** One line of plain text: strips tags and decodes references that were escaped twice. */
export const toPlainLine = (value: string, kind: TextKind): string | null => {
  const line = collapse(toPlain(value, kind))
  return line === '' ? null : line
}

const toPlain = (value: string, kind: TextKind): string => {
  if (kind === 'plain') return decodeNumeric(value)
  if (!value.includes('<')) {
    const decoded = decodeEntities(value)
    return kind === 'html' || !decoded.includes('<') ? decoded : decoded.replace(FORMATTED, '$2')
  }
  const tags = kind === 'html' ? ANY_TAG : FORMATTING
  return decodeEntities(dropComments(value).replace(tags, breakOrNothing))
}

/** Formatting that was escaped twice: a title that merely mentions a tag does not close it. */
const FORMATTED =
  /<(a|abbr|b|big|cite|code|del|div|em|font|h[1-6]|i|ins|mark|p|q|s|small|span|strong|sub|sup|tt|u)(?:\s[^<>]*)?>([^<>]*)<\/\1>/gi

const breakOrNothing = (tag: string): string =>
  /^<\/?(?:br|p|div|li|h[1-6])\b/i.test(tag) ? ' ' : ''

const collapse = (text: string): string =>
  /\s\s|[^\S ]/.test(text) ? text.replace(/\s+/g, ' ').trim() : text.trim()

const ESCAPED_AGAIN =
  /^&lt;(?:p|div|span|a|img|br|b|i|em|strong|h[1-6]|ul|ol|table|blockquote|figure|html|body|font)\b/i

/** A body that was escaped twice; one that merely mentions tags does not begin with one. */
export const unescapeAgain = (value: string): string =>
  !value.includes('<') && ESCAPED_AGAIN.test(value) ? decodeEntities(value) : value
