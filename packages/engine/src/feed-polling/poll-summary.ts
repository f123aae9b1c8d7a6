import type { FeedErrorClass, FeedTier } from '@steward/contract'

export interface PollSummary {
  /** Enabled feeds. */
  feeds: number
  /** Feeds whose server was asked. */
  checked: number
  /** Feeds among those that had not changed. */
  unmodified: number
  /** Not due yet. */
  waiting: number
  /** Skipped because their breaker is open. */
  open: number
  /** Left for the next poll, because the invocation's subrequests were used up. */
  postponed: number
  items: { found: number; enqueued: number; truncated: number }
  tiers: Record<FeedTier, number>
  /** Failed checks by class. */
  failed: Partial<Record<FeedErrorClass, number>>
  errors: { url: string; class: FeedErrorClass; message: string }[]
  /** Addresses of feeds whose breaker opened in this poll. */
  opened: string[]
  /** Internal errors: an unavailable store or queue, or a missing secret. */
  problems: { url: string; message: string }[]
}

export const emptySummary = (feeds: number): PollSummary => ({
  feeds,
  checked: 0,
  unmodified: 0,
  waiting: 0,
  open: 0,
  postponed: 0,
  items: { found: 0, enqueued: 0, truncated: 0 },
  tiers: { direct: 0, reader: 0, proxy: 0 },
  failed: {},
  errors: [],
  opened: [],
  problems: [],
})

export const failedChecks = ({ failed }: PollSummary): number =>
  Object.values(failed).reduce((sum, count) => sum + count, 0)
