import { type FeedList, type FeedSubscription, nearestHint, StewardError } from '@steward/contract'

/** The subscription that a person means, by address or title. */
export const findFeed = (feeds: FeedList, wanted: string): FeedSubscription => {
  const found = feeds.find(({ url, title }) => url === wanted || title === wanted)
  if (found !== undefined) return found
  const known = feeds.flatMap(({ url, title }) => (title === undefined ? [url] : [url, title]))
  throw new StewardError('not_found', {
    what: 'feed',
    name: wanted,
    hint: nearestHint(wanted, known),
  })
}
