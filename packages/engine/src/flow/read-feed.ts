import { toStewardError, unwrap } from '@steward/contract'
import { z } from 'zod'
import type { FeedHints } from '../feed-format/parse-feed.ts'
import {
  parseFeedBody,
  type ReadFeedBody,
  readFeedBodyHere,
} from '../feed-format/read-feed-body.ts'
import { type FlowItem, itemFromFeed } from './item.ts'
import { checkPause, notBeforeOf, requestSource } from './request-source.ts'
import type { SourceOf, WebSourcePorts } from './source.ts'

/** The items of a feed on the web, in any format; none if it has not changed since the last run. */
export const readFeed = async (
  source: SourceOf<'rss'>,
  { fetch, memory, now }: Pick<WebSourcePorts, 'fetch' | 'memory' | 'now'>,
  readBody: ReadFeedBody = readFeedBodyHere,
): Promise<FlowItem[]> => {
  const { url } = source
  const before = feedState.parse((await memory.recall(source)) ?? {})
  checkPause(url, before.notBeforeMs, now())
  const init = { headers: { accept: FEED_TYPES } }
  const answer = await requestSource(fetch, url, init, before, now()).catch((thrown: unknown) => {
    const error = toStewardError(thrown)
    memory.keep(source, { ...before, notBeforeMs: notBeforeOf(error, now()) })
    throw error
  })
  const { bytes, contentType, validators, notBeforeMs } = answer
  const hints = { url, ...(contentType === undefined ? {} : { contentType }) }
  const items = bytes === undefined ? [] : await readFeedItems(bytes, hints, readBody)
  memory.keep(source, { ...validators, notBeforeMs })
  return items
}

const feedState = z.object({
  etag: z.string().optional(),
  modified: z.string().optional(),
  notBeforeMs: z.number().default(0),
})

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
