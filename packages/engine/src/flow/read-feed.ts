import { type Fetch, unwrap } from '@steward/contract'
import { type FeedHints, parseFeed } from '../feed-format/parse-feed.ts'
import { fetchBody } from './fetch-body.ts'
import { type FlowItem, itemFromFeed } from './item.ts'

/** The items of a feed on the web, in any format. */
export const readFeed = async (url: string, fetch: Fetch): Promise<FlowItem[]> => {
  const { bytes, contentType } = await fetchBody(fetch, url, { headers: { accept: FEED_TYPES } })
  return itemsOfFeed(bytes, { url, ...(contentType === undefined ? {} : { contentType }) })
}

/** The items of a feed body; throws `feed_unreadable` if it is not a feed. */
export const itemsOfFeed = (body: Uint8Array | string, hints: FeedHints = {}): FlowItem[] => {
  const parsed = unwrap(parseFeed(body, hints))
  return parsed.items.map(itemFromFeed)
}

const FEED_TYPES =
  'application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5'
