import { type FeedItem, type FeedQueueMessage, LIMITS } from '@steward/contract'
import { sha256Hex } from '../feed-format/sha256.ts'

/** Longer ids are replaced by their hash, because they are table keys. */
const ID_CHARS = 1024

/** One item as a queue message, with its text cut to fit the queue's limit. */
export const toQueueMessage = (
  feedUrl: string,
  item: FeedItem,
  nowMs: number,
): FeedQueueMessage => {
  const id = item.id.length <= ID_CHARS ? item.id : `sha256:${sha256Hex(item.id)}`
  const message: FeedQueueMessage = {
    feed_url: feedUrl,
    item: { ...item, id },
    enqueued_at: new Date(nowMs).toISOString(),
  }
  if (fits(message)) return message
  return cutMessage({ ...message, truncated: true })
}

/** Drops the least needed parts first: duplicates, then the ends of the text. */
const cutMessage = (message: FeedQueueMessage): FeedQueueMessage => {
  const { item } = message
  const withItem = (changes: Partial<FeedItem>): FeedQueueMessage => ({
    ...message,
    item: { ...item, ...changes },
  })
  const lean = { summary: item.content === null ? item.summary : null }
  if (fits(withItem(lean))) return withItem(lean)
  const field = item.content === null ? 'summary' : 'content'
  const text = item[field] ?? ''
  const cutText = (length: number) => withItem({ ...lean, [field]: cut(text, length) })
  const kept = longestThat(text.length, (length) => fits(cutText(length)))
  if (kept > 0) return cutText(kept)
  const bare = { content: null, summary: null, categories: [], enclosures: [] }
  const title = item.title ?? ''
  const cutTitle = (length: number) =>
    withItem({ ...bare, title: cut(title, length), author: null, link: short(item.link) })
  return cutTitle(longestThat(title.length, (length) => fits(cutTitle(length))))
}

/** Longer addresses do not work anyway. */
const LINK_CHARS = 8192
const short = (link: string | null): string | null =>
  link !== null && link.length > LINK_CHARS ? null : link

const encoder = new TextEncoder()

const fits = (message: FeedQueueMessage): boolean =>
  encoder.encode(JSON.stringify(message)).length + LIMITS.queueMessageOverheadBytes <=
  LIMITS.queueMessageBytes

/** The greatest length from 0 to `most` that passes; passing is monotonic. */
const longestThat = (most: number, passes: (length: number) => boolean): number => {
  let [low, high] = [0, most]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (passes(middle)) low = middle
    else high = middle - 1
  }
  return low
}

/** Never splits a surrogate pair. */
const cut = (text: string, length: number): string =>
  /[\ud800-\udbff]$/.test(text.slice(0, length)) ? text.slice(0, length - 1) : text.slice(0, length)
