export * from './examine-feeds.ts'
export type { FeedDatabase } from './feed-database.ts'
export type { FeedsFile } from './feeds-file.ts'
export * from './open-feeds.ts'
