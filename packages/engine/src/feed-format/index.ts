export { parseDate } from './dates.ts'
export { type FeedHints, parseFeed } from './parse-feed.ts'
export { type FeedBody, parseFeedBody, type ReadFeedBody } from './read-feed-body.ts'
export { sha256Hex } from './sha256.ts'
