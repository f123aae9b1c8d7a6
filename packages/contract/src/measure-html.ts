import { LIMITS } from './limits.ts'

/** How expensive a page is to parse, following the HTML parser's nesting. */
export interface HtmlExtent {
  /** The deepest nesting of elements. */
  depth: number
  elements: number
  attributes: number
  /**
   * The squared depths of all elements and pieces of text, added up. To find an article, the text of
   * each element is read once for each element around it.
   */
  nesting: number
  /** What else becomes a node of the tree: comments, and `<` that begins nothing. */
  marks: number
  /** Headings, each of which is compared with the title. */
  headings: number
  /** The longest text that may be the title. */
  titleChars: number
  /** From where to where the values of attributes are longer than anything reads. */
  excess: Array<[from: number, to: number]>
}

/** To read this many characters takes as long as to reach another node. */
const CHARS_PER_PIECE = 16
const SPACE = ' \t\n\f\r'
const NAME_END = /[ \t\n\f\r/>]/g
const ATTRIBUTE_NAME_END = /[ \t\n\f\r/>=]/g
const VALUE_END = /[ \t\n\f\r>]/g

/** Anything may stand in a value with a character reference. */
const STRUCTURED_DATA = /ld\+json|&/i

/** More characters of an attribute are cut: patterns of Readability take the square of their number. */
const VALUE_CHARS = 256
const LONG_VALUES: ReadonlyMap<string, number> = new Map([
  ['href', 2048],
  ['content', 1024],
])

const setOf = (names: string): ReadonlySet<string> => new Set(names.split(' '))

const VOID = setOf(
  'area base basefont br col command embed frame hr img input isindex keygen link meta param source track wbr',
)
const FOREIGN = setOf('math svg')
const BACK_TO_HTML = setOf('mi mo mn ms mtext annotation-xml foreignobject desc title')

/**
 * Elements with raw text content, and the end tag to search for; the last three are quirks of
 * htmlparser2.
 */
const RAW_TEXT: ReadonlyMap<string, string> = new Map([
  ...['script', 'style', 'title', 'textarea', 'xmp'].map((name) => [name, name] as const),
  ['xitle', 'title'],
  ['xextarea', 'textarea'],
  ['tmp', 'xmp'],
])

const FORM = setOf('input option optgroup select button datalist textarea')
const P = setOf('p')
/** For each element, the open elements that its start tag closes while they are innermost. */
const ENDED_BY: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ...'h1 h2 h3 h4 h5 h6 p address article aside blockquote details div dl fieldset figcaption figure footer form header hr main nav ol pre section table ul'
    .split(' ')
    .map((name) => [name, P] as const),
  ...'select input output button datalist textarea'.split(' ').map((name) => [name, FORM] as const),
  ['tr', setOf('tr th td')],
  ['th', setOf('th')],
  ['td', setOf('thead th td')],
  ['body', setOf('head link script')],
  ['li', setOf('li')],
  ['option', setOf('option')],
  ['optgroup', setOf('optgroup option')],
  ['dd', setOf('dd dt')],
  ['dt', setOf('dd dt')],
  ['rt', setOf('rt rp')],
  ['rp', setOf('rt rp')],
  ['tbody', setOf('thead tbody')],
  ['tfoot', setOf('thead tbody')],
])

/**
 * Measures a page in one pass without building a tree. It copies htmlparser2, which linkedom uses,
 * quirk by quirk: a hostile page could hide its depth in any difference. It stops at the first
 * element over a limit.
 */
export const measureHtml = (html: string): HtmlExtent => {
  const open: string[] = []
  const foreign: boolean[] = [false]
  const extent: HtmlExtent = {
    ...{ depth: 0, elements: 0, attributes: 0, nesting: 0, marks: 0, headings: 0, titleChars: 0 },
    excess: [],
  }

  /** The next `&`, or an earlier one. */
  let reference = html.indexOf('&')

  const count = (depth: number): void => {
    extent.depth = Math.max(extent.depth, depth)
    extent.elements++
    extent.nesting += depth ** 2
  }

  /** Text between two places; each reference in it becomes a node of its own. */
  const countText = (from: number, to: number): void => {
    if (open.length === 0 || to <= from) return
    let pieces = 1 + (to - from) / CHARS_PER_PIECE
    if (reference !== -1 && reference < from) reference = html.indexOf('&', from)
    for (; reference !== -1 && reference < to; reference = html.indexOf('&', reference + 1)) {
      pieces += 2
    }
    extent.nesting += pieces * open.length ** 2
  }

  const startElement = (name: string): void => {
    const ended = ENDED_BY.get(name)
    while (ended?.has(open.at(-1) ?? '')) open.pop()
    count(open.length + 1)
    if (name === 'h1' || name === 'h2') extent.headings++
    if (VOID.has(name)) return
    open.push(name)
    if (FOREIGN.has(name)) foreign.push(true)
    else if (BACK_TO_HTML.has(name)) foreign.push(false)
  }

  const endElement = (name: string): void => {
    if (FOREIGN.has(name) || BACK_TO_HTML.has(name)) foreign.pop()
    const place = VOID.has(name) ? -1 : open.lastIndexOf(name)
    if (place !== -1) open.length = place
    // These two end tags create an element if none is open.
    else if (name === 'p' || name === 'br') count(open.length + 1)
  }

  /** Reads the start tag at `at`; returns the position after it and after its raw text, if any. */
  const readStartTag = (at: number): number => {
    const nameEnd = search(html, NAME_END, at + 1)
    if (nameEnd === html.length) return nameEnd
    const name = html.slice(at + 1, nameEnd).toLowerCase()
    startElement(name)
    const { end, count: attributes, isSelfClosing } = skipAttributes(html, nameEnd, extent.excess)
    extent.attributes += attributes
    if (isSelfClosing) {
      if (foreign.at(-1) === true && open.at(-1) === name) open.pop()
      return end
    }
    const raw = RAW_TEXT.get(name)
    if (raw === undefined) return end
    const rawEnd = findRawTextEnd(html, end, raw)
    // Scripts and styles are removed before the search for an article, after their title is read.
    if (raw !== 'script' && raw !== 'style') countText(end, rawEnd)
    if (raw === 'title' || STRUCTURED_DATA.test(html.slice(nameEnd, end))) {
      extent.titleChars = Math.max(extent.titleChars, rawEnd - end)
    }
    if (rawEnd < html.length) endElement(raw)
    return after(html, '>', rawEnd)
  }

  const readEndTag = (at: number): number => {
    const start = skipSpace(html, at + 2)
    if (isLetter(html.charCodeAt(start))) {
      const nameEnd = search(html, VALUE_END, start)
      if (nameEnd < html.length) endElement(html.slice(start, nameEnd).toLowerCase())
      return after(html, '>', nameEnd)
    }
    return after(html, '>', start)
  }

  const readTag = (at: number): number => {
    if (isLetter(html.charCodeAt(at + 1))) return readStartTag(at)
    if (html[at + 1] === '/') return readEndTag(at)
    extent.marks++
    extent.nesting += open.length ** 2
    if (html[at + 1] === '?') return after(html, '>', at + 2)
    if (html[at + 1] !== '!') return at + 1
    if (html.startsWith('--', at + 2)) return after(html, '-->', at + 2)
    if (html.startsWith('[CDATA[', at + 2)) return after(html, ']]>', at + 9)
    if (html[at + 2] === '[') return after(html, '>', at + 3)
    return after(html, '>', html[at + 2] === '-' ? at + 4 : at + 3)
  }

  const findTag = (from: number): number => {
    const at = html.indexOf('<', from)
    countText(from, at === -1 ? html.length : at)
    return at
  }

  for (let at = findTag(0); at !== -1; at = findTag(readTag(at))) {
    if (extent.depth > LIMITS.htmlDepth || extent.elements > LIMITS.htmlElements) break
    if (extent.attributes > LIMITS.htmlAttributes || extent.marks > LIMITS.htmlWork) break
  }
  return extent
}

const isLetter = (code: number): boolean => (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a

/** The position of the match after `from`, or the end of the text. */
const search = (html: string, pattern: RegExp, from: number): number => {
  pattern.lastIndex = from
  return pattern.exec(html)?.index ?? html.length
}

const after = (html: string, end: string, from: number): number => {
  const at = html.indexOf(end, from)
  return at === -1 ? html.length : at + end.length
}

const skipSpace = (html: string, from: number): number => {
  let at = from
  while (at < html.length && SPACE.includes(html.charAt(at))) at++
  return at
}

/** A `>` in a quoted value does not end the tag. */
const skipAttributes = (
  html: string,
  from: number,
  excess: Array<[number, number]>,
): { end: number; count: number; isSelfClosing: boolean } => {
  let at = skipSpace(html, from)
  let count = 0
  while (at < html.length) {
    if (html[at] === '>') return { end: at + 1, count, isSelfClosing: false }
    if (html[at] === '/') {
      at = skipSpace(html, at + 1)
      if (html[at] === '>') return { end: at + 1, count, isSelfClosing: true }
      continue
    }
    count++
    const nameEnd = search(html, ATTRIBUTE_NAME_END, at + 1)
    const equals = skipSpace(html, nameEnd)
    if (html[equals] === '=') {
      const value = skipSpace(html, equals + 1)
      const end = skipValue(html, value)
      if (end - value > VALUE_CHARS + 2) {
        const most = LONG_VALUES.get(html.slice(at, nameEnd).toLowerCase()) ?? VALUE_CHARS
        // A quote may be the last character, and the first.
        if (end - value > most + 2) excess.push([value + 1 + most, end - 1])
      }
      at = end
    } else at = equals
    at = skipSpace(html, at)
  }
  return { end: html.length, count, isSelfClosing: false }
}

const skipValue = (html: string, at: number): number => {
  const quote = html[at]
  return quote === '"' || quote === "'" ? after(html, quote, at + 1) : search(html, VALUE_END, at)
}

/**
 * The position after the name in the end tag of raw text, or the end of the text. Compares
 * characters as htmlparser2 does, which mistakes two control characters for `<` and `/`.
 */
const findRawTextEnd = (html: string, from: number, name: string): number => {
  const wanted = `</${name}`
  let matched = 0
  for (let at = from; at < html.length; at++) {
    if (matched === wanted.length) {
      if (html[at] === '>' || SPACE.includes(html.charAt(at))) return at
      matched = 0
    }
    if ((html.charCodeAt(at) | 0x20) === wanted.charCodeAt(matched)) matched++
    else if (matched > 0) matched = html[at] === '<' ? 1 : 0
    else if (name !== 'title') {
      const next = html.indexOf('<', at + 1)
      if (next === -1) return html.length
      at = next
      matched = 1
    }
  }
  return html.length
}
