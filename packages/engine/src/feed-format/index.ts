export { parseDate } from './dates.ts'
export { type FeedHints, parseFeed } from './parse-feed.ts'
export { sha256Hex } from './sha256.ts'
