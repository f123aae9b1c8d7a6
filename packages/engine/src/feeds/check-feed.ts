import type { FeedRecord, FeedSubscription } from '@steward/contract'
import { expandHeaders } from '../flow/expand-headers.ts'
import { enqueueItems } from './enqueue-items.ts'
import { isBreakerOpen, recordFailure, recordSuccess } from './feed-record.ts'
import { type FetchedFeed, fetchFeed } from './fetch-feed.ts'
import type { HostGate } from './host-gate.ts'
import { createSeenTest, hashesOf, mergeHashes } from './item-hashes.ts'
import { nextCheckMs, nextRetryMs } from './next-check.ts'
import type { PollSummary } from './poll-summary.ts'
import type { FeedCheckReport, PollPorts } from './ports.ts'
import type { Reservation } from './reservations.ts'

export interface PollContext {
  ports: PollPorts
  summary: PollSummary
  startedMs: number
  gate: HostGate
  /** Of all subscriptions. */
  addresses: ReadonlySet<string>
}

/** Checks one feed that is due: asks for it, enqueues what is new, then writes its record. */
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
      ? await noteFailure(feed, record, fetched, context)
      : await noteSuccess(feed, record, fetched, reservation, context)
  ports.onCheck?.({ url: feed.url, ...report })
}

type Report = Omit<FeedCheckReport, 'url'>

const noteFailure = async (
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

const noteSuccess = async (
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
    // Two subscriptions that lead to one place stay two, each at its own address.
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
  // One of what is available stays for the record.
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
  // The rest must come again whole at the next poll, so nothing may say that it is unmodified.
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
