import { type FeedSubscription, faultOfFeedUrl } from '@steward/contract'
import { decodeFeed } from '../feed-format/decode.ts'
import { decodeEntities } from '../feed-format/entities.ts'
import { scanName, scanTagEnd } from '../feed-format/scan-tag.ts'
import { makeMarkupSkipper } from '../feed-format/skip-markup.ts'
import { tidySource } from '../feed-format/tidy-source.ts'
import { readAttributes } from '../feed-format/xml-node.ts'

export interface ParsedOpml {
  feeds: FeedSubscription[]
  /** Outlines whose address cannot be a feed's. */
  skipped: { url: string; reason: string }[]
}

/**
 * The feeds of an OPML file, deduplicated, with their folders as categories. Reads what other
 * programs really write: any nesting, any case, unescaped ampersands, missing end tags.
 */
export const parseOpml = (body: Uint8Array | string): ParsedOpml => {
  const source = tidySource(typeof body === 'string' ? body : decodeFeed(body))
  const skip = makeMarkupSkipper(source)
  const folders: (string | null)[] = []
  const feeds = new Map<string, { feed: FeedSubscription; categories: Set<string> }>()
  const skipped: ParsedOpml['skipped'] = []

  const add = (url: string, attributes: ReadonlyMap<string, string>) => {
    const reason = faultOfFeedUrl(url)
    if (reason !== undefined) {
      skipped.push({ url, reason })
      return
    }
    const before = feeds.get(url)
    const categories = before?.categories ?? new Set()
    for (const name of categoriesOf(attributes, folders)) categories.add(name)
    const feed = { ...subscriptionOf(url, attributes), ...titleOf(before?.feed) }
    feeds.set(url, { feed, categories })
  }

  for (let at = source.indexOf('<'); at !== -1; at = source.indexOf('<', at)) {
    if (/^<[!?]/.test(source.slice(at, at + 2))) {
      at = skip(at, 'outline')
      continue
    }
    const isEnd = source[at + 1] === '/'
    const nameStart = at + (isEnd ? 2 : 1)
    const nameEnd = scanName(source, nameStart)
    const tagEnd = scanTagEnd(source, nameEnd)
    if (tagEnd === -1) break
    const isOutline = source.slice(nameStart, nameEnd).toLowerCase() === 'outline'
    if (isOutline && isEnd) folders.pop()
    else if (isOutline) {
      const isSelfClosed = source[tagEnd - 1] === '/'
      const attributes = readOutline(source.slice(nameEnd, isSelfClosed ? tagEnd - 1 : tagEnd))
      const url = attributes.get('xmlurl')
      if (url) add(url, attributes)
      if (!isSelfClosed && folders.length < MAX_DEPTH) folders.push(url ? null : nameOf(attributes))
    }
    at = source[tagEnd] === '>' ? tagEnd + 1 : Math.max(tagEnd, at + 1)
  }
  const found = [...feeds.values()].map(({ feed, categories }) =>
    categories.size === 0 ? feed : { ...feed, categories: [...categories] },
  )
  return { feeds: found, skipped }
}

/**
 * An OPML file of these feeds for other programs. A feed with several categories is listed in the
 * first.
 */
export const renderOpml = (feeds: readonly FeedSubscription[], title: string): string => {
  const groups = Map.groupBy(feeds, ({ categories }) => categories?.[0] ?? '')
  const lines = [...groups].flatMap(([category, members]) => {
    if (category === '') return members.map((feed) => `    ${renderOutline(feed)}`)
    const name = escapeXml(category)
    return [
      `    <outline text="${name}" title="${name}">`,
      ...members.map((feed) => `      ${renderOutline(feed)}`),
      '    </outline>',
    ]
  })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<opml version="2.0">',
    `  <head><title>${escapeXml(title)}</title></head>`,
    '  <body>',
    ...lines,
    '  </body>',
    '</opml>',
    '',
  ].join('\n')
}

const MAX_DEPTH = 64

const readOutline = (attributes: string): Map<string, string> =>
  new Map(readAttributes(attributes).map(([name, value]) => [name, decodeEntities(value).trim()]))

const nameOf = (attributes: ReadonlyMap<string, string>): string | null =>
  attributes.get('title') || attributes.get('text') || null

/** The folders above it and its own `category`: words separated by commas, or a path. */
const categoriesOf = (
  attributes: ReadonlyMap<string, string>,
  folders: readonly (string | null)[],
): string[] => {
  const own = (attributes.get('category') ?? '').split(/[,/]/).map((word) => word.trim())
  return [...folders, ...own].flatMap((name) => (name ? [name] : []))
}

const subscriptionOf = (url: string, attributes: ReadonlyMap<string, string>): FeedSubscription => {
  const title = nameOf(attributes)
  const site = attributes.get('htmlurl')
  return {
    url,
    ...(title ? { title } : {}),
    ...(site ? { site } : {}),
  }
}

const titleOf = (before: FeedSubscription | undefined) =>
  before?.title === undefined ? {} : { title: before.title }

const renderOutline = ({ url, title, site, categories }: FeedSubscription): string => {
  const name = escapeXml(title ?? url)
  const parts = [
    `type="rss" text="${name}" title="${name}" xmlUrl="${escapeXml(url)}"`,
    ...(site === undefined ? [] : [`htmlUrl="${escapeXml(site)}"`]),
    ...(categories === undefined || categories.length < 2
      ? []
      : [`category="${escapeXml(categories.slice(1).join(','))}"`]),
  ]
  return `<outline ${parts.join(' ')}/>`
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
}

/** Characters that XML cannot contain are dropped. */
const escapeXml = (text: string): string =>
  text
    .replace(/[&<>"\n]/g, (char) => ESCAPES[char] ?? '')
    .replace(/\p{Cc}/gu, (char) => (/[\t\r]/.test(char) ? ' ' : ''))
