import type { FeedRecord, FeedStatus, FeedSubscription } from '@steward/contract'
import { feedHealthOf } from '@steward/engine'
import type { Feeds } from '@steward/runner'

/** The followed feeds, those that need a look first. */
export const listFeeds = async (
  feeds: Pick<Feeds, 'file' | 'database'>,
): Promise<{ feeds: FeedStatus[] }> => {
  const followed = await feeds.file.read()
  // The database is made when it is first opened; looking is no reason to.
  if (followed.length === 0) return { feeds: [] }
  const known = feeds.database().records()
  const records = new Map(known.map((record) => [record.url, record]))
  const statuses = followed.map((feed) => toStatus(feed, records.get(feed.url)))
  return { feeds: statuses.toSorted((one, other) => rankOf(one) - rankOf(other)) }
}

const RANKS = ['skipped', 'failing', 'unchecked', 'ok', 'off']
const rankOf = ({ health }: FeedStatus): number => RANKS.indexOf(health)

const toStatus = (feed: FeedSubscription, record: FeedRecord | undefined): FeedStatus => ({
  url: feed.url,
  title: feed.title ?? record?.title ?? null,
  health: feedHealthOf(feed, record),
  errorClass: record?.last_class ?? null,
  errorCount: record?.error_count ?? 0,
  lastError: record?.last_error ?? null,
  lastSuccessAt: record?.last_success_at ?? null,
  nextCheckAt: record?.next_check_at ?? null,
  tier: record?.last_tier ?? null,
})
