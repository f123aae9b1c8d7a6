import { z } from 'zod'

const text = z.string().nullable()

export const enclosure = z.object({
  url: z.string(),
  type: text,
  length: z.int().nonnegative().nullable(),
})

/** One entry of a feed as the poller sees it. Dates are ISO 8601 in UTC, null where the feed has none. */
export const feedItem = z.object({
  /** Stable identity: guid, id, link, or a hash of title and content. Never a date. */
  id: z.string(),
  title: text,
  link: text,
  published: text,
  updated: text,
  author: text,
  content: text,
  summary: text,
  categories: z.array(z.string()),
  enclosures: z.array(enclosure),
})
export type FeedItem = z.infer<typeof feedItem>

export const parsedFeed = z.object({ title: text, link: text, items: z.array(feedItem) })
export type ParsedFeed = z.infer<typeof parsedFeed>
