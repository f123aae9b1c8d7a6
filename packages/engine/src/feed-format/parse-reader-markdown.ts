import type { FeedItem, ParsedFeed } from '@steward/contract'
import { parseDate } from './dates.ts'

/**
 * Extracts items from a reader service's version of a feed: markdown with one link per entry, its
 * date nearby and its text below. A reader keeps no ids, so an item's id is its link.
 */
export const parseReaderMarkdown = (markdown: string, feedUrl: string): ParsedFeed => {
  const { title, lines } = splitHeader(markdown.slice(0, MARKDOWN_CHARS))
  const entries = findEntries(lines, feedUrl)
  const items = new Map<string, FeedItem>()
  for (const entry of entries) if (!items.has(entry.link)) items.set(entry.link, toItem(entry))
  return { title, link: null, items: [...items.values()] }
}

/** More than any reader produces from a feed, and small enough to parse line by line. */
const MARKDOWN_CHARS = 8_000_000

interface Entry {
  title: string
  link: string
  lines: string[]
}

/** Readers put `Title:`, `URL Source:` and similar lines above the text. */
const splitHeader = (markdown: string): { title: string | null; lines: string[] } => {
  const lines = markdown.split(/\r?\n/)
  const start = lines.findIndex((line) => /^Markdown Content:\s*$/i.test(line))
  const head = start === -1 ? [] : lines.slice(0, start)
  const named = head.find((line) => /^Title:/i.test(line))?.replace(/^Title:\s*/i, '')
  const body = lines.slice(start + 1)
  const heading = body.find((line) => /^# [^[]/.test(line))?.slice(2)
  return { title: plainText(named ?? heading ?? '') || null, lines: body }
}

const HEADING = /^ {0,3}(#{1,6})\s+(.*)$/
const LIST_ITEM = /^\s*(?:[-*+]|\d{1,4}[.)])\s+(.*)$/

/**
 * If headings are links, they are the entries. Otherwise a heading is an entry if a link follows
 * below it. A page without such headings has its entries in lists, tables or lines that start with
 * a link.
 */
const findEntries = (lines: readonly string[], feedUrl: string): Entry[] => {
  const site = URL.parse(feedUrl)
  const linkIn = (text: string) => firstLink(text, site)
  const linked = collect(lines, (line) => {
    const text = HEADING.exec(line)?.[2]
    return text === undefined ? undefined : linkIn(text)
  })
  if (linked.length > 0) return linked
  const headed = collectHeaded(lines, linkIn)
  if (headed.length > 0) return headed
  return collect(lines, (line) => {
    const text = LIST_ITEM.exec(line)?.[1] ?? line.replace(/^\s*\|?\s*/, '')
    return /^(?:\*\*|__|\*|_|\d{4}-\d\d-\d\d\W*)?\[/.test(text) ? linkIn(text) : undefined
  })
}

const collect = (
  lines: readonly string[],
  start: (line: string) => { title: string; link: string } | undefined,
): Entry[] => {
  const entries: Entry[] = []
  for (const line of lines) {
    const found = start(line)
    if (found !== undefined) entries.push({ ...found, lines: [line] })
    else if (HEADING.test(line) && entries.length > 0) entries.at(-1)?.lines.push('')
    else entries.at(-1)?.lines.push(line)
  }
  return entries
}

const collectHeaded = (
  lines: readonly string[],
  linkIn: (text: string) => { title: string; link: string } | undefined,
): Entry[] => {
  const entries: Entry[] = []
  let heading: { title: string; lines: string[] } | undefined
  for (const line of lines) {
    const match = HEADING.exec(line)
    if (match?.[1] !== undefined && match[1].length > 1) {
      heading = { title: plainText(match[2] ?? ''), lines: [] }
      continue
    }
    if (heading === undefined) continue
    heading.lines.push(line)
    const last = entries.at(-1)
    if (last?.lines === heading.lines) continue
    const link = linkIn(line)?.link ?? bareLink(line)
    if (link !== undefined && heading.title !== '') {
      entries.push({ title: heading.title, link, lines: heading.lines })
    }
  }
  return entries
}

// The bounds prevent catastrophic backtracking on hostile lines.
const LINK =
  /(!?)\[((?:[^[\]]|\[[^[\]]{0,200}\]){1,500})\]\(\s*<?(https?:\/\/[^\s()<>]{1,2000}(?:\([^\s()<>]{0,500}\)[^\s()<>]{0,500})?)>?(?:\s+"[^"]{0,500}")?\s*\)/g

const firstLink = (text: string, site: URL | null): { title: string; link: string } | undefined => {
  for (const [, image, label = '', target = ''] of text.slice(0, LINE_CHARS).matchAll(LINK)) {
    const title = plainText(label)
    const url = URL.parse(target)
    const isEntry = image === '' && title !== '' && url !== null && !isHome(url, site)
    if (isEntry) return { title, link: url.href }
  }
  return undefined
}

const LINE_CHARS = 20_000

/** The site itself or the feed is not an entry. */
const isHome = (url: URL, site: URL | null): boolean =>
  (url.pathname === '/' && url.search === '') || (site !== null && url.href === site.href)

const bareLink = (line: string): string | undefined =>
  /(?:^|[\s<(])(https?:\/\/[^\s<>()]{1,2000})/.exec(line.slice(0, LINE_CHARS))?.[1]

const toItem = ({ title, link, lines }: Entry): FeedItem => {
  const text = lines.slice(1).join('\n').trim()
  return {
    id: link,
    title,
    link,
    published: findDate(lines),
    updated: null,
    author: null,
    content: text === '' ? null : text,
    summary: null,
    categories: [],
    enclosures: [],
  }
}

const DATES = [
  /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|\s?[+-]\d\d:?\d\d)?)?/,
  /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? \d{1,2} [A-Z][a-z]{2,8} \d{4}(?: \d\d:\d\d(?::\d\d)?(?: (?:GMT|UTC|[+-]\d{4}))?)?/,
  /\b\d{1,2} [A-Z][a-z]{2,8}\.? \d{4}\b/,
  /\b[A-Z][a-z]{2,8}\.? \d{1,2}(?:st|nd|rd|th)?, \d{4}\b/,
]
/** A date is beside an entry or right below it; further down it belongs to the text. */
const DATE_LINES = 4

const findDate = (lines: readonly string[]): string | null => {
  for (const line of lines.filter((each) => each.trim() !== '').slice(0, DATE_LINES)) {
    const text = line.slice(0, LINE_CHARS).replace(/\(https?:[^)]*\)/g, ' ')
    for (const pattern of DATES) {
      const found = pattern.exec(text)?.[0]
      const date =
        found === undefined ? null : parseDate(found.replace(/(\d)(?:st|nd|rd|th),/, '$1,'))
      if (date !== null) return date
    }
  }
  return null
}

const plainText = (markdown: string): string =>
  markdown
    .slice(0, LINE_CHARS)
    .replace(/!\[([^\]]{0,500})\]\([^)]{0,2000}\)/g, '')
    .replace(/\\([\\`*_{}[\]()#+\-.!|])/g, '$1')
    .replace(/(\*\*|__|`)(.{1,500}?)\1/g, '$2')
    .replace(/\s+/g, ' ')
    .trim()
