import type { FeedHealth, FeedRecord, FeedSubscription } from '@steward/contract'
import { feedHealthOf } from '@steward/engine'
import type { FeedDatabase } from './feed-database.ts'
import type { FeedsFile } from './feeds-file.ts'

export interface ExaminedFeed {
  feed: FeedSubscription
  health: FeedHealth
  /** Missing for a feed that was never read. */
  record: FeedRecord | undefined
}

/** The subscribed feeds with their health, in the order of the file. */
export const examineFeeds = async (feeds: {
  file: Pick<FeedsFile, 'read'>
  database: () => Pick<FeedDatabase, 'records'>
}): Promise<ExaminedFeed[]> => {
  const list = await feeds.file.read()
  // Opening the database would create it, and a read should not.
  if (list.length === 0) return []
  const known = feeds.database().records()
  const records = new Map(known.map((record) => [record.url, record]))
  return list.map((feed) => {
    const record = records.get(feed.url)
    return { feed, record, health: feedHealthOf(feed, record) }
  })
}
