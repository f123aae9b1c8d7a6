export { parseDate } from './dates.ts'
export { type FeedHints, parseFeed } from './parse-feed.ts'
