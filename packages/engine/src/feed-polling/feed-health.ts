import type { FeedHealth, FeedRecord, FeedSubscription } from '@steward/contract'
import { isBreakerOpen } from './feed-record.ts'

export const feedHealthOf = (
  { enabled }: FeedSubscription,
  record: FeedRecord | undefined,
): FeedHealth => {
  if (enabled === false) return 'off'
  if (record === undefined || record.last_checked_at === null) return 'unchecked'
  if (isBreakerOpen(record)) return 'skipped'
  return record.error_count > 0 ? 'failing' : 'ok'
}
