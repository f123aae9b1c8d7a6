import { z } from 'zod'
import { feedItem } from './feed.ts'
import { fields } from './json.ts'

const time = z.iso.datetime()
const text = z.string().nullable()

const feedUrl = z.string().superRefine((value, context) => {
  const message = faultOfFeedUrl(value)
  if (message !== undefined) context.addIssue({ code: 'custom', message })
})

/** Explains why a feed's address is invalid; undefined if it is valid. */
export const faultOfFeedUrl = (value: string): string | undefined => {
  if (!/^https?:\/\//i.test(value) || !URL.canParse(value)) return 'must be an http or https URL'
  const { username, password } = new URL(value)
  // Addresses are logged and stored, so secrets belong in a header.
  if (username === '' && password === '') return undefined
  return 'must not contain a user name or password: use headers, such as {"authorization": "Basic ${NAME}"}'
}

/** One subscription in `feeds.json`. */
export const feedSubscription = z.strictObject({
  url: feedUrl.meta({ description: 'The address of the feed.' }),
  title: z.string().optional().meta({ description: 'Your name for it.' }),
  site: z.string().optional().meta({ description: 'The web page it belongs to.' }),
  categories: z.array(z.string()).optional().meta({ description: 'Your categories.' }),
  intervalMinutes: z
    .int()
    .min(5)
    .max(1440)
    .optional()
    .meta({ description: 'Minimum time between two checks; the feed may require more.' }),
  ignoreCache: z.boolean().optional().meta({
    description: 'Always request the whole feed, for servers that answer 304 wrongly.',
  }),
  enabled: z.boolean().optional().meta({ description: 'false skips it.' }),
  headers: z.record(z.string(), z.string()).optional().meta({
    description:
      'Request headers for the feed itself; ${NAME} is replaced by the secret of that name.',
  }),
})
export type FeedSubscription = z.infer<typeof feedSubscription>

/** `feeds.json`, beside `flow-index.json`. */
export const feedList = z
  .array(feedSubscription)
  .superRefine((feeds, context) => {
    const seen = new Set<string>()
    feeds.forEach(({ url }, index) => {
      if (seen.has(url)) {
        context.addIssue({
          code: 'custom',
          path: [index, 'url'],
          message: `${url} is listed twice`,
        })
      }
      seen.add(url)
    })
  })
  .meta({ title: 'Steward feeds', description: 'The feeds that the poller reads.' })
export type FeedList = z.infer<typeof feedList>

/** How a feed was reached. Spec 1, Feed polling. */
export const FEED_TIERS = ['direct', 'reader', 'proxy'] as const
export type FeedTier = (typeof FEED_TIERS)[number]

/** Why a check of a feed failed. `refused`: a private address. `status`: any other status. */
export const FEED_ERROR_CLASSES = [
  'tls',
  'timeout',
  'network',
  'refused',
  'redirect',
  '401',
  '403',
  'challenge',
  '404',
  '410',
  '429',
  '5xx',
  'status',
  'too_large',
  'parse_error',
  'zero_items',
] as const
export type FeedErrorClass = (typeof FEED_ERROR_CLASSES)[number]

/** `skipped`: after too many errors in a row, until `steward feeds retry`. */
export const FEED_HEALTHS = ['ok', 'failing', 'skipped', 'unchecked', 'off'] as const
export type FeedHealth = (typeof FEED_HEALTHS)[number]

/** The complete state of one feed in one record, so that a check costs one read and one write. */
export const feedRecord = z.object({
  /** The key, as in `feeds.json`. */
  url: z.string(),
  title: text,
  /** The target of a permanent redirect; null if there was none. */
  permanent_url: text,
  etag: text,
  last_modified: text,
  /** Failures in a row. At `LIMITS.feedErrorBreaker` the feed is skipped. */
  error_count: z.int().nonnegative(),
  last_error: text,
  last_class: z.enum(FEED_ERROR_CLASSES).nullable(),
  last_tier: z.enum(FEED_TIERS).nullable(),
  last_checked_at: time.nullable(),
  last_success_at: time.nullable(),
  next_check_at: time.nullable(),
  /** Hashes of enqueued items, newest first. */
  item_ids: z.array(z.string()),
})
export type FeedRecord = z.infer<typeof feedRecord>

/**
 * The message that the poller enqueues per item. `truncated`: the content was cut to fit a message.
 */
export const feedQueueMessage = z.object({
  feed_url: z.string(),
  item: feedItem,
  enqueued_at: time,
  truncated: z.literal(true).optional(),
})
export type FeedQueueMessage = z.infer<typeof feedQueueMessage>

/** The message of a flow with any other source: the item and the pipeline's output fields. */
export const flowQueueMessage = z.object({
  flow: z.string(),
  item: z.object({ id: z.string(), title: text }),
  fields,
  enqueued_at: time,
})
export type FlowQueueMessage = z.infer<typeof flowQueueMessage>

/** `rejected`: its content can never be processed, so it is not retried. */
export const FEED_ITEM_STATUSES = ['ingested', 'processing', 'processed', 'rejected'] as const
export type FeedItemStatus = (typeof FEED_ITEM_STATUSES)[number]

/** A row of `feed_items`; unique per (feed_url, item_id), no matter how often it is delivered. */
export const feedItemRow = z.object({
  feed_url: z.string(),
  item_id: z.string(),
  title: text,
  content: text,
  url: text,
  author: text,
  published_at: text,
  status: z.enum(FEED_ITEM_STATUSES),
  /** The pipeline's `rating`: S, A, B, C or D. */
  tier: text,
  quality_score: z.number().nullable(),
  labels: z.array(z.string()),
  /** The pipeline's `one_sentence_summary`. */
  summary_short: text,
  /** The pipeline's `summary`. */
  summary_medium: text,
  /** How often a consumer claimed it. */
  attempts: z.int().nonnegative(),
  /** How often its pipeline failed. */
  failures: z.int().nonnegative(),
  error: text,
  truncated: z.boolean(),
  ingested_at: time,
  processed_at: time.nullable(),
  /** While `processing`: when the claim expires. */
  claimed_until: time.nullable(),
})
export type FeedItemRow = z.infer<typeof feedItemRow>
