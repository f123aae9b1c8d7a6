import {
  destinationsOf,
  type FeedQueueMessage,
  type FlowEntry,
  type FlowRunSummary,
  feedRecord,
  StewardError,
} from '@steward/contract'
import {
  type DestinationOf,
  type FeedStore,
  pollFeeds,
  type QueueProducer,
  type SourceOf,
  sha256Hex,
  summarisePoll,
} from '@steward/engine'
import { findQueue, type KvNamespace } from '../bindings.ts'
import type { FlowAssets } from './assets.ts'
import type { Invocation } from './invocation.ts'

/** A feeds source: checks every due feed and enqueues new items (spec 1, F_FEEDS_POLLER). */
export const pollFeedsFlow = async (
  flow: FlowEntry,
  source: SourceOf<'feeds'>,
  { feeds = [] }: FlowAssets,
  invocation: Invocation,
): Promise<FlowRunSummary> => {
  const { runId, startedAt, now, secret } = invocation
  const proxyToken = secret('FEED_PROXY_TOKEN')
  const poll = await pollFeeds({
    feeds,
    store: createKvFeedStore(invocation.kv('SEEN_ITEMS'), flow.id),
    queue: openQueue(flow, invocation),
    fetch: invocation.fetch,
    trustedFetch: invocation.trustedFetch,
    now,
    random: () => Math.random(),
    remaining: invocation.remaining,
    secret,
    ...(source.reader_url === undefined ? {} : { readerUrl: source.reader_url }),
    ...(source.proxy_url === undefined ? {} : { proxyUrl: source.proxy_url }),
    ...(proxyToken === undefined ? {} : { proxyToken }),
    ...(flow.concurrency === undefined ? {} : { concurrency: flow.concurrency }),
  })
  return summarisePoll(poll, { runId, startedAt, endedAt: now() })
}

/** One record per feed, under its address in `feeds.json`. */
const createKvFeedStore = (kv: KvNamespace, flowId: string): FeedStore => {
  const keyOf = (url: string) => `feed:${flowId}:${sha256Hex(url)}`
  return {
    read: async (url) => {
      const text = await kv.get(keyOf(url))
      return text === null ? undefined : feedRecord.parse(JSON.parse(text))
    },
    write: async (record) => kv.put(keyOf(record.url), JSON.stringify(record)),
  }
}

const openQueue = (
  flow: FlowEntry,
  { env, subrequests }: Invocation,
): QueueProducer<FeedQueueMessage> => {
  const producer = findQueue(env, queueOf(flow).queue)
  return {
    sendBatch: async (messages) => {
      subrequests.spend()
      return producer.sendBatch(messages)
    },
  }
}

const queueOf = (flow: FlowEntry): DestinationOf<'queue'> => {
  const [destination] = destinationsOf(flow)
  if (destination.type === 'queue') return destination
  const reason = 'a feeds source only enqueues, and its destination is not a queue'
  throw new StewardError('invalid_definition', { file: flow.name, reason })
}
