import { type FeedSubscription, LIMITS, reasonOf } from '@steward/contract'
import { runItems } from '../flow/run-items.ts'
import { checkFeed } from './check-feed.ts'
import { createFeedRecord, judgeFeed } from './feed-record.ts'
import { createHostGate } from './host-gate.ts'
import { emptySummary, type PollSummary } from './poll-summary.ts'
import type { PollPorts } from './ports.ts'
import { createReservations } from './reservations.ts'

const CONCURRENCY = 6

/**
 * One poll (F_FEEDS_POLLER): checks every due feed and enqueues its new items. A feed's messages
 * are enqueued before its record is written, so a crash repeats items but never loses any. One
 * feed's failure does not affect others. Stops before the invocation's subrequests run out; the
 * rest stays due.
 */
export const pollFeeds = async (ports: PollPorts): Promise<PollSummary> => {
  const feeds = ports.feeds.filter(({ enabled }) => enabled !== false)
  const summary = emptySummary(feeds.length)
  const startedMs = ports.now()
  const reservations = createReservations(ports.remaining)
  const context = {
    ports,
    summary,
    startedMs,
    gate: createHostGate(),
    addresses: new Set(feeds.map(({ url }) => url)),
  }
  const need = subrequestsOf(ports)

  const pollOne = async (feed: FeedSubscription): Promise<void> => {
    ports.signal?.throwIfAborted()
    const reservation = reservations.take(need)
    if (reservation === undefined) {
      summary.postponed++
      return
    }
    try {
      const record = (await ports.store.read(feed.url)) ?? createFeedRecord(feed.url)
      const judged = judgeFeed(record, startedMs)
      if (judged === 'due') await checkFeed(feed, record, reservation, context)
      else summary[judged]++
    } catch (thrown) {
      ports.signal?.throwIfAborted()
      summary.problems.push({ url: feed.url, message: reasonOf(thrown) })
    } finally {
      reservation.release()
    }
  }

  const settled = await runItems(
    groupByHost(rotate(feeds, ports.random())),
    ports.concurrency ?? CONCURRENCY,
    async (group) => {
      for (const feed of group) await pollOne(feed)
    },
  )
  const broken = settled.find((result) => result.status === 'rejected')
  if (broken !== undefined) throw broken.reason
  return summary
}

/**
 * The most subrequests one feed may use: its record twice, one batch, and every tier with all its
 * redirects.
 */
const subrequestsOf = ({ readerUrl, proxyUrl }: PollPorts): number => {
  const tiers = [readerUrl, proxyUrl].filter((url) => url !== undefined).length
  return 3 + 1 + LIMITS.fetchRedirects + tiers
}

/**
 * A poll that cannot reach all feeds starts at a different one each time, so that none is always
 * left out.
 */
const rotate = <T>(items: readonly T[], share: number): T[] => {
  const start = Math.floor(share * items.length)
  return [...items.slice(start), ...items.slice(0, start)]
}

/** Feeds of one host run one after the other, so they share a lane instead of blocking several. */
const groupByHost = (feeds: readonly FeedSubscription[]): FeedSubscription[][] => [
  ...Map.groupBy(feeds, ({ url }) => URL.parse(url)?.host ?? '').values(),
]
