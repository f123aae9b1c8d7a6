export { feedHealthOf } from './feed-health.ts'
export * from './feed-items-table.ts'
export { createFeedRecord, isBreakerOpen, judgeFeed, resetFeed } from './feed-record.ts'
export { PROXY_ERROR_HEADER } from './fetch-feed.ts'
export * from './opml.ts'
export * from './poll-feeds.ts'
export { failedChecks, type PollSummary } from './poll-summary.ts'
export type * from './ports.ts'
export * from './process-feed-batch.ts'
export {
  CLAIM_MS,
  type FeedItemWork,
  type FeedMessageOutcome,
  isUncounted,
  keyOfMessage,
  type ProcessPorts,
  processFeedMessage,
} from './process-feed-message.ts'
export * from './summarise-poll.ts'
