import { type Fetch, unwrap } from '@steward/contract'
import type { FeedHints } from '../feed-format/parse-feed.ts'
import {
  parseFeedBody,
  type ReadFeedBody,
  readFeedBodyHere,
} from '../feed-format/read-feed-body.ts'
import { fetchBody } from './fetch-body.ts'
import { type FlowItem, itemFromFeed } from './item.ts'

/** The items of a feed on the web, in any format. */
export const readFeed = async (
  url: string,
  fetch: Fetch,
  readBody: ReadFeedBody = readFeedBodyHere,
): Promise<FlowItem[]> => {
  const { bytes, contentType } = await fetchBody(fetch, url, { headers: { accept: FEED_TYPES } })
  const hints = { url, ...(contentType === undefined ? {} : { contentType }) }
  return readFeedItems(bytes, hints, readBody)
}

/** The items of a feed body; throws `feed_unreadable` if it is not a feed. */
export const itemsOfFeed = (body: Uint8Array | string, hints: FeedHints = {}): FlowItem[] =>
  unwrap(parseFeedBody({ body, form: 'feed', hints })).items.map(itemFromFeed)

/** The same where feeds are parsed elsewhere. */
export const readFeedItems = async (
  body: Uint8Array | string,
  hints: FeedHints,
  readBody: ReadFeedBody,
): Promise<FlowItem[]> =>
  unwrap(await readBody({ body, form: 'feed', hints })).items.map(itemFromFeed)

const FEED_TYPES =
  'application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5'
