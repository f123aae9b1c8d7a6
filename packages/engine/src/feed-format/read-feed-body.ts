import { fail, LIMITS, ok, type ParsedFeed, type Result, StewardError } from '@steward/contract'
import { type FeedHints, parseFeed } from './parse-feed.ts'
import { parseReaderMarkdown } from './parse-reader-markdown.ts'

/** A fetched feed, or what a reader service made of it. */
export interface FeedBody {
  body: Uint8Array | string
  form: 'feed' | 'reader-markdown'
  hints: FeedHints
}

/** A port, because a process that serves others must not parse foreign feeds between its answers. */
export type ReadFeedBody = (feed: FeedBody, signal?: AbortSignal) => Promise<Result<ParsedFeed>>

/** Parses a feed in either form. Feeds with too many items for later steps are unreadable. */
export const parseFeedBody = (
  { body, form, hints }: FeedBody,
  maxItems: number = LIMITS.feedItems,
): Result<ParsedFeed> => {
  const parsed = form === 'feed' ? parseFeed(body, hints) : ok(parseMarkdown(body, hints))
  if (!parsed.ok || parsed.value.items.length <= maxItems) return parsed
  return fail(
    new StewardError('feed_unreadable', {
      subject: hints.url ?? 'the body',
      reason: `it has more than ${maxItems} items`,
    }),
  )
}

const parseMarkdown = (body: FeedBody['body'], { url = '' }: FeedHints): ParsedFeed =>
  parseReaderMarkdown(typeof body === 'string' ? body : new TextDecoder().decode(body), url)

/** For isolates, whose platform limits their time. */
export const readFeedBodyHere: ReadFeedBody = async (feed) => parseFeedBody(feed)
