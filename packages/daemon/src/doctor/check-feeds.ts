import { type Finding, fine } from '@steward/assistants'
import { feedHealthOf } from '@steward/engine'
import type { FeedDatabase, FeedsFile } from '@steward/runner'

const NAMED = 3

interface KnownFeeds {
  feeds: {
    file: Pick<FeedsFile, 'read'>
    database: () => Pick<FeedDatabase, 'records'>
  }
}

/** Failing feeds, and feeds skipped after too many errors. */
export const checkFeeds = async ({ feeds }: KnownFeeds, command: string): Promise<Finding> => {
  const list = await feeds.file.read()
  if (list.length === 0) return fine('feeds', 'none yet')
  const records = feeds.database().records()
  const ill = list.flatMap((feed) => {
    const record = records.find(({ url }) => url === feed.url)
    const health = feedHealthOf(feed, record)
    return health === 'failing' || health === 'skipped' ? [{ url: feed.url, health, record }] : []
  })
  if (ill.length === 0) return fine('feeds', `${list.length}, none fails`)
  const named = ill
    .slice(0, NAMED)
    .map(({ url, record }) => `${url} (${record?.last_class ?? 'error'} x${record?.error_count})`)
  const more = ill.length > NAMED ? ` and ${ill.length - NAMED} more` : ''
  const isGivenUp = ill.some(({ health }) => health === 'skipped')
  return {
    check: 'feeds',
    status: 'warn',
    message: `${ill.length} of ${list.length} fail: ${named.join(', ')}${more}`,
    repair: isGivenUp
      ? `${command} feeds --failing shows why; ${command} feeds retry URL retries one`
      : `${command} feeds --failing shows why`,
  }
}
