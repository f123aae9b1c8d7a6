import {
  type FeedItem,
  type FeedQueueMessage,
  type FeedRecord,
  type FeedSubscription,
  type FeedTier,
  type StewardError,
  toStewardError,
} from '@steward/contract'
import { expandHeaders } from '../flow/expand-headers.ts'
import { chunkMessages } from '../queue/chunk-messages.ts'
import type { QueueProducer } from '../queue/send-all.ts'
import { isBreakerOpen, recordFailure, recordSuccess } from './feed-record.ts'
import { type FetchedFeed, fetchFeed } from './fetch-feed.ts'
import { toQueueMessage } from './fit-message.ts'
import type { HostGate } from './host-gate.ts'
import { nextCheckMs, nextRetryMs } from './next-check.ts'
import type { PollSummary } from './poll-summary.ts'
import type { FeedCheckReport, PollPorts } from './ports.ts'
import type { Reservation } from './reservations.ts'
import { shortHash } from './short-hash.ts'

export interface PollContext {
  ports: PollPorts
  summary: PollSummary
  startedMs: number
  gate: HostGate
  /** The addresses of all subscriptions. */
  addresses: ReadonlySet<string>
}

/** Checks one due feed: fetches it, enqueues new items, then writes its record. */
export const checkFeed = async (
  feed: FeedSubscription,
  record: FeedRecord,
  reservation: Reservation,
  context: PollContext,
): Promise<void> => {
  const { ports, summary, gate } = context
  const { etag, last_modified: lastModified } = record
  const fetched = await fetchFeed(
    {
      url: record.permanent_url ?? feed.url,
      validators: feed.ignoreCache ? null : { etag, lastModified },
      ...(feed.headers === undefined ? {} : { headers: expandHeaders(feed.headers, ports.secret) }),
    },
    { ...ports, gate, trustedFetch: ports.trustedFetch ?? ports.fetch },
  )
  summary.checked++
  const report =
    fetched.kind === 'failed'
      ? await reportFailure(feed, record, fetched, context)
      : await reportSuccess(feed, record, fetched, reservation, context)
  ports.onCheck?.({ url: feed.url, ...report })
}

type Report = Omit<FeedCheckReport, 'url'>

const reportFailure = async (
  { url, intervalMinutes }: FeedSubscription,
  record: FeedRecord,
  { class: className, message, retryAfterMs }: Extract<FetchedFeed, { kind: 'failed' }>,
  { ports: { store, random }, summary, startedMs: nowMs }: PollContext,
): Promise<Report> => {
  const nextCheckMs = nextRetryMs({ nowMs, intervalMinutes, random }, retryAfterMs)
  const next = recordFailure(record, { class: className, message, nowMs, nextCheckMs })
  summary.failed[className] = (summary.failed[className] ?? 0) + 1
  summary.errors.push({ url, class: className, message })
  if (isBreakerOpen(next)) summary.opened.push(url)
  await store.write(next)
  return { outcome: 'failed', items: 0, message: `${className}: ${message}` }
}

const reportSuccess = async (
  feed: FeedSubscription,
  record: FeedRecord,
  fetched: Exclude<FetchedFeed, { kind: 'failed' }>,
  reservation: Reservation,
  { ports, summary, startedMs: nowMs, addresses }: PollContext,
): Promise<Report> => {
  const { tier, hints, permanentUrl } = fetched
  const { intervalMinutes } = feed
  summary.tiers[tier]++
  const next = {
    tier,
    nowMs,
    nextCheckMs: nextCheckMs({ nowMs, intervalMinutes, hints, random: ports.random }),
    validators: fetched.validators,
    // Two subscriptions that redirect to one place stay separate, each at its own address.
    permanentUrl: permanentUrl !== null && addresses.has(permanentUrl) ? null : permanentUrl,
    title: null,
    itemIds: record.item_ids,
  }
  if (fetched.kind === 'unmodified') {
    summary.unmodified++
    await ports.store.write(recordSuccess(record, next))
    return { outcome: 'unmodified', items: 0, message: 'unmodified' }
  }

  const { items, title } = fetched.feed
  const wasSeen = createSeenTest(record.item_ids, tier)
  const fresh = items.filter((item) => !wasSeen(item))
  summary.items.found += items.length
  // One available subrequest is reserved for the record.
  const sent = await enqueueItems(ports.queue, feed.url, fresh, nowMs, reservation.available() - 1)
  summary.items.enqueued += sent.enqueued.length
  summary.items.truncated += sent.truncated
  const left = new Set(fresh.slice(sent.enqueued.length))
  const known = items.filter((item) => !left.has(item)).flatMap((item) => hashesOf(item, tier))
  const success = recordSuccess(record, {
    ...next,
    title,
    itemIds: mergeHashes(known, record.item_ids),
  })
  // The next poll must fetch the remaining items again, so the validators that could give a 304 are
  // dropped.
  const unfinished = { etag: null, last_modified: null, next_check_at: null }
  await ports.store.write(left.size === 0 ? success : { ...success, ...unfinished })
  if (sent.error !== undefined) throw sent.error
  if (left.size > 0) summary.postponed++
  const count = sent.enqueued.length
  return {
    outcome: count > 0 ? 'enqueued' : 'nothing-new',
    items: count,
    message: left.size === 0 ? `${count} new` : `${count} new, ${left.size} left for the next poll`,
  }
}

interface EnqueuedItems {
  /** The enqueued items, from the first on. */
  enqueued: FeedItem[]
  truncated: number
  /** Why the rest was not enqueued, if the queue failed. */
  error?: StewardError
}

/** Enqueues items in order, in at most `maxBatches` batches; the rest is left for the next poll. */
const enqueueItems = async (
  queue: QueueProducer<FeedQueueMessage>,
  feedUrl: string,
  items: readonly FeedItem[],
  nowMs: number,
  maxBatches: number,
): Promise<EnqueuedItems> => {
  const messages = items.map((item) => ({ body: toQueueMessage(feedUrl, item, nowMs) }))
  const chunks = chunkMessages(messages)
  if (!chunks.ok) return { enqueued: [], truncated: 0, error: chunks.error }
  let count = 0
  const result = (error?: StewardError): EnqueuedItems => ({
    enqueued: items.slice(0, count),
    truncated: messages.slice(0, count).filter(({ body }) => body.truncated).length,
    ...(error === undefined ? {} : { error }),
  })
  for (const batch of chunks.value.slice(0, Math.max(0, maxBatches))) {
    try {
      await queue.sendBatch(batch)
    } catch (thrown) {
      return result(toStewardError(thrown, 'upstream_failed', { service: 'the queue' }))
    }
    count += batch.length
  }
  return result()
}

/** Facts 13: at least 500 ids are remembered. An item has up to two hashes. */
const HASHES_KEPT = 1000

/**
 * The hashes that identify an item. A reader identifies items by link only, so a link is stored
 * beside the id, and an item seen through one tier is recognised through another.
 */
const hashesOf = ({ id, link }: FeedItem, tier: FeedTier): string[] => {
  if (tier === 'reader') return [shortHash(`reader ${id}`)]
  return link === null
    ? [shortHash(`id ${id}`)]
    : [shortHash(`id ${id}`), shortHash(`link ${link}`)]
}

/** Returns a function that tells whether an item of this tier was enqueued before. */
const createSeenTest = (
  remembered: readonly string[],
  tier: FeedTier,
): ((item: FeedItem) => boolean) => {
  const known = new Set(remembered)
  if (tier === 'reader') {
    return ({ id }) => known.has(shortHash(`reader ${id}`)) || known.has(shortHash(`link ${id}`))
  }
  // Two entries may share a link, so a link only counts if a reader used it as the id.
  return ({ id, link }) =>
    known.has(shortHash(`id ${id}`)) || (link !== null && known.has(shortHash(`reader ${link}`)))
}

/** Newest first: all hashes of the current feed, then as many older ones as are kept. */
const mergeHashes = (current: readonly string[], before: readonly string[]): string[] => {
  const merged = new Set([...current, ...before])
  return [...merged].slice(0, Math.max(HASHES_KEPT, new Set(current).size))
}
