import { decodeEntities } from '../feed-format/entities.ts'
import { scanTagEnd } from '../feed-format/scan-tag.ts'

/** Elements whose content is not shown. */
const UNREAD = 'script style noscript template svg iframe object canvas'.split(' ')
/** Elements within a line. */
const INLINE = new Set(
  'a abbr b bdi bdo cite code data dfn em font i kbd label mark q s samp small span strong sub sup time u var wbr'.split(
    ' ',
  ),
)
const TAG_NAME = /^<\/?([a-z][a-z0-9-]*)/i
const LONGEST_NAME = 40

export interface PageText {
  title: string | null
  /** The readable text, a line for each paragraph, heading, cell or item. */
  lines: string[]
}

/** The text of an HTML page in one pass, whatever its markup is like; other text line by line. */
export const readPageText = (source: string): PageText => {
  let title: string | null = null
  let text = ''
  const find = createFinder(source)
  const isMarkup = /<[a-z!/]/i.test(source)
  // Between tags a new line is a space.
  const read = (from: number, to?: number): string =>
    isMarkup ? source.slice(from, to).replace(/\s+/g, ' ') : source.slice(from, to)
  for (let at = 0; at < source.length; ) {
    const open = source.indexOf('<', at)
    if (open === -1) {
      text += read(at)
      break
    }
    text += read(at, open)
    const name = TAG_NAME.exec(source.slice(open, open + LONGEST_NAME))?.[1]?.toLowerCase()
    const isEnd = source[open + 1] === '/'
    if (source.startsWith('<!--', open)) at = after(find('-->', open), 3, source)
    else if (name === undefined) {
      const isDeclaration = /^<[!?/]/.test(source.slice(open, open + 2))
      if (!isDeclaration) text += '<'
      at = isDeclaration ? after(find('>', open), 1, source) : open + 1
    } else if (!isEnd && UNREAD.includes(name)) at = endOf(name, open)
    else if (!isEnd && name === 'title') {
      const from = after(scanTagEnd(source, open + 1), 1, source)
      at = endOf(name, open)
      title ??= tidy(source.slice(from, Math.max(from, find('</title', open))))
    } else {
      if (!INLINE.has(name)) text += '\n'
      const end = scanTagEnd(source, open + 1)
      at = source[end] === '<' ? end : after(end, 1, source)
    }
  }
  return { title: title === '' ? null : title, lines: text.split('\n').map(tidy).filter(Boolean) }

  function endOf(name: string, from: number): number {
    const close = find(`</${name}`, from)
    return close === -1 ? source.length : after(find('>', close), 1, source)
  }
}

const after = (found: number, length: number, source: string): number =>
  found === -1 ? source.length : found + length

const tidy = (text: string): string => decodeEntities(text).replace(/\s+/g, ' ').trim()

/** A forward search, in any case of letters, that does not repeat one without result. */
const createFinder = (source: string): ((wanted: string, from: number) => number) => {
  const lower = source.toLowerCase()
  // Lower case may have another length: then only exact letters are found.
  const text = lower.length === source.length ? lower : source
  const found = new Map<string, number>()
  return (wanted, from) => {
    const known = found.get(wanted)
    if (known !== undefined && (known === -1 || known >= from)) return known
    const next = text.indexOf(wanted, from)
    found.set(wanted, next)
    return next
  }
}
