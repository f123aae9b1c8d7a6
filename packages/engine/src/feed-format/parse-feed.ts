import { fail, ok, type ParsedFeed, type Result, StewardError } from '@steward/contract'
import { decodeFeed } from './decode.ts'
import type { DraftFeed, DraftItem } from './draft.ts'
import { explainUnreadable } from './explain-unreadable.ts'
import { identifyItems } from './identity.ts'
import { isWebAddress, type LinkBase, resolveLink } from './links.ts'
import { resolveBody } from './raw-body.ts'
import { readJsonFeed } from './read-json-feed.ts'
import { readXmlFeed } from './read-xml-feed.ts'
import { tidySource } from './tidy-source.ts'

export interface FeedHints {
  /** The `Content-Type` header of the body. */
  contentType?: string
  /** The body's address: the base of relative links, and the name in errors. */
  url?: string
}

/**
 * Parses a feed of any common format, however broken: RSS 0.90 to 2.0, RSS 1.0, Atom 0.3 and 1.0,
 * JSON Feed, CDF. Never throws; anything else is `feed_unreadable` with the reason. Values are as
 * published: HTML is not sanitised.
 */
export const parseFeed = (body: Uint8Array | string, hints: FeedHints = {}): Result<ParsedFeed> => {
  const source = tidySource(typeof body === 'string' ? body : decodeFeed(body, hints.contentType))
  const isJson = /^\s*\{/.test(source)
  const { feed, firstTag } = isJson ? readJson(source) : readXmlFeed(source)
  if (feed === null || (isHtml(firstTag) && !HAS_ROOT.test(source))) {
    const details = explainUnreadable(body, source, firstTag, hints.url)
    return fail(
      new StewardError('feed_unreadable', { subject: hints.url ?? 'the body', ...details }),
    )
  }
  return ok(finishFeed(feed, hints.url))
}

const readJson = (source: string) => ({ feed: readJsonFeed(source), firstTag: null })

const isHtml = (firstTag: string | null): boolean => firstTag === 'html'
const HAS_ROOT = /<(?:\w+:)?(?:rss|rdf|feed)[\s>]/i

/** Makes a draft's addresses absolute and gives its items ids. */
const finishFeed = (draft: DraftFeed, from: string | undefined): ParsedFeed => {
  // A file name cannot be the base of addresses.
  const url = [from, draft.self?.href].find((address) => address && isWebAddress(address))
  const link = draft.link === null ? null : resolveLink(draft.link, { url })
  const around = { url, feedLink: link }
  const items = draft.items.map((item) => finishItem(item, around, draft.author))
  const ids = identifyItems(
    draft.items.map(({ guid, title, content }, index) => {
      return { guid, link: items[index]?.link ?? null, title, content: content?.text ?? null }
    }),
  )
  return {
    title: draft.title,
    link,
    items: items.map((item, index) => ({ id: ids[index] ?? '', ...item })),
  }
}

const finishItem = (
  { guid: _, ...item }: DraftItem,
  around: LinkBase,
  feedAuthor: string | null,
): Omit<ParsedFeed['items'][number], 'id'> => {
  const link = item.link === null ? null : resolveLink(item.link, around)
  const finishBody = (body: DraftItem['content']) =>
    body === null ? null : resolveBody(body, around, link)
  const content = finishBody(item.content)
  return {
    ...item,
    link,
    author: item.author ?? feedAuthor,
    content,
    summary: item.summary === item.content ? content : finishBody(item.summary),
    enclosures: item.enclosures.map(({ link, type, length }) => {
      return { url: resolveLink(link, around), type, length }
    }),
  }
}
