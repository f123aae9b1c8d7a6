import { type Finding, fine } from '@steward/assistants'
import { examineFeeds } from '@steward/runner'

const NAMED = 3

interface KnownFeeds {
  feeds: Parameters<typeof examineFeeds>[0]
}

/** Failing feeds, and feeds skipped after too many errors. */
export const checkFeeds = async ({ feeds }: KnownFeeds, command: string): Promise<Finding> => {
  const list = await examineFeeds(feeds)
  if (list.length === 0) return fine('feeds', 'none yet')
  const ill = list.filter(({ health }) => health === 'failing' || health === 'skipped')
  if (ill.length === 0) return fine('feeds', `${list.length}, none fails`)
  const named = ill
    .slice(0, NAMED)
    .map(
      ({ feed, record }) =>
        `${feed.url} (${record?.last_class ?? 'error'} x${record?.error_count})`,
    )
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
