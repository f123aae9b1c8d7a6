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
 * One poll (F_FEEDS_POLLER): checks every feed that is due and enqueues its new items. A feed's
 * messages are enqueued before its record is written, so a crash repeats and never loses. One feed's
 * failure is its own. Stops before the invocation's subrequests run out; what is left stays due.
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

/** The most one feed may take: its record twice, one batch, and every tier with all its redirects. */
const subrequestsOf = ({ readerUrl, proxyUrl }: PollPorts): number => {
  const tiers = [readerUrl, proxyUrl].filter((url) => url !== undefined).length
  return 3 + 1 + LIMITS.fetchRedirects + tiers
}

/** A poll that cannot reach all feeds starts elsewhere each time, so that none is always left out. */
const rotate = <T>(items: readonly T[], share: number): T[] => {
  const start = Math.floor(share * items.length)
  return [...items.slice(start), ...items.slice(0, start)]
}

/** Feeds of one host wait for each other, so they share a lane instead of blocking several. */
const groupByHost = (feeds: readonly FeedSubscription[]): FeedSubscription[][] => [
  ...Map.groupBy(feeds, ({ url }) => URL.parse(url)?.host ?? '').values(),
]
