import { fail, ok, type ParsedFeed, type Result, StewardError } from '@steward/contract'
import { decodeFeed } from './decode.ts'
import { explainUnreadable } from './explain-unreadable.ts'
import { finishFeed } from './finish-feed.ts'
import { readJsonFeed } from './read-json-feed.ts'
import { readXmlFeed } from './read-xml-feed.ts'
import { tidySource } from './tidy-source.ts'

export interface FeedHints {
  /** The `Content-Type` header the body came with. */
  contentType?: string
  /** Where the body came from: what relative links are relative to, and the name in errors. */
  url?: string
}

/**
 * Reads a feed of any common format and in any state of repair: RSS 0.90 to 2.0, RSS 1.0, Atom
 * 0.3 and 1.0, JSON Feed, CDF. Never throws; what is no feed at all is `feed_unreadable` with the
 * reason. Values are as published: HTML is not sanitised.
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
