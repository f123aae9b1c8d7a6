import {
  type FeedErrorClass,
  type FeedRecord,
  type FeedTier,
  isPending,
  LIMITS,
} from '@steward/contract'
import { LONGEST_CHECK_WAIT_MS } from './next-check.ts'

/** A feed that was never checked, so it is due immediately. */
export const createFeedRecord = (url: string): FeedRecord => ({
  url,
  title: null,
  permanent_url: null,
  etag: null,
  last_modified: null,
  error_count: 0,
  last_error: null,
  last_class: null,
  last_tier: null,
  last_checked_at: null,
  last_success_at: null,
  next_check_at: null,
  item_ids: [],
})

/** Spec 1, Feed polling: the breaker opens at exactly this many consecutive failures. */
export const isBreakerOpen = ({ error_count }: Pick<FeedRecord, 'error_count'>): boolean =>
  error_count >= LIMITS.feedErrorBreaker

export const judgeFeed = (record: FeedRecord, nowMs: number): 'due' | 'waiting' | 'open' => {
  if (isBreakerOpen(record)) return 'open'
  const { next_check_at } = record
  if (next_check_at === null) return 'due'
  return isPending(Date.parse(next_check_at), nowMs, LONGEST_CHECK_WAIT_MS) ? 'waiting' : 'due'
}

export interface CheckSuccess {
  tier: FeedTier
  nowMs: number
  nextCheckMs: number
  title: string | null
  /** Null keeps the stored validators, because a reader's response has none. */
  validators: { etag: string | null; lastModified: string | null } | null
  permanentUrl: string | null
  itemIds: string[]
}

/** A success at any tier resets the breaker's count. */
export const recordSuccess = (record: FeedRecord, check: CheckSuccess): FeedRecord => ({
  ...record,
  title: check.title ?? record.title,
  permanent_url: check.permanentUrl ?? record.permanent_url,
  etag: check.validators === null ? record.etag : check.validators.etag,
  last_modified: check.validators === null ? record.last_modified : check.validators.lastModified,
  error_count: 0,
  last_error: null,
  last_class: null,
  last_tier: check.tier,
  last_checked_at: toTime(check.nowMs),
  last_success_at: toTime(check.nowMs),
  next_check_at: toTime(check.nextCheckMs),
  item_ids: check.itemIds,
})

export interface CheckFailure {
  class: FeedErrorClass
  message: string
  nowMs: number
  nextCheckMs: number
}

/** The redirect target may be gone, so the original address is tried again. */
const LOST = new Set<FeedErrorClass>(['404', '410', 'redirect'])
const MESSAGE_CHARS = 500

export const recordFailure = (record: FeedRecord, failure: CheckFailure): FeedRecord => ({
  ...record,
  permanent_url: LOST.has(failure.class) ? null : record.permanent_url,
  error_count: record.error_count + 1,
  last_error: failure.message.slice(0, MESSAGE_CHARS),
  last_class: failure.class,
  last_checked_at: toTime(failure.nowMs),
  next_check_at: toTime(failure.nextCheckMs),
})

/** What `steward feeds retry` does: closes the breaker and makes the feed due immediately. */
export const resetFeed = (record: FeedRecord): FeedRecord => ({
  ...record,
  error_count: 0,
  next_check_at: null,
})

const toTime = (ms: number): string => new Date(ms).toISOString()
