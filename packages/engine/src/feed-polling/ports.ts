import type {
  FeedQueueMessage,
  FeedRecord,
  FeedSubscription,
  Fetch,
  JsonObject,
} from '@steward/contract'
import type { ReadFeedBody } from '../feed-format/read-feed-body.ts'
import type { QueueProducer } from '../queue/send-all.ts'

/** The stored state of feeds: KV on the edge, SQLite locally. */
export interface FeedStore {
  read(url: string): Promise<FeedRecord | undefined>
  write(record: FeedRecord): Promise<void>
}

export interface PollPorts {
  feeds: readonly FeedSubscription[]
  store: FeedStore
  queue: QueueProducer<FeedQueueMessage>
  /**
   * For feeds. Must honour `redirect: 'manual'` and refuse private addresses where they are
   * reachable.
   */
  fetch: Fetch
  /** For the reader and the proxy; defaults to `fetch`. */
  trustedFetch?: Fetch
  now: () => number
  /** In [0, 1): adds jitter and chooses where a poll starts. */
  random: () => number
  /**
   * Subrequests left in this invocation. Every call of `fetch`, `store` and `queue` costs one; the
   * caller counts them.
   */
  remaining: () => number
  /** Fills `${NAME}` in a feed's own headers. */
  secret: (name: string) => string | undefined
  readerUrl?: string
  proxyUrl?: string
  proxyToken?: string
  /** Concurrent feeds, of different hosts; 6 by default. */
  concurrency?: number
  /** Timeout of one request; defaults to the platform's usual limit. */
  timeoutMs?: number
  signal?: AbortSignal
  /** Parses feeds; in this thread by default. */
  readBody?: ReadFeedBody
  /** Called after each check, for progress reports. */
  onCheck?: (check: FeedCheckReport) => void
}

/** The result of one check. */
export interface FeedCheckReport {
  url: string
  outcome: 'enqueued' | 'nothing-new' | 'unmodified' | 'failed'
  /** The number of enqueued items. */
  items: number
  message: string
}

export interface FeedItemKey {
  feedUrl: string
  itemId: string
}

/** `held`: another consumer works on it until then, or was killed meanwhile. */
export type FeedItemClaim =
  | { kind: 'claimed'; attempts: number; failures: number }
  | { kind: 'settled' }
  | { kind: 'held'; untilMs: number }

export type FeedItemResult =
  | { status: 'processed'; output: JsonObject }
  | { status: 'rejected'; error: string }
  /** It will be retried: it failed, or was only interrupted (null). */
  | { status: 'ingested'; error: string | null }

export interface FeedItemClaimTimes {
  nowMs: number
  untilMs: number
  /** Claims that end before this time belong to consumers that are gone. */
  endedBeforeMs?: number
}

/** The table of items: D1 on the edge, SQLite locally. */
export interface FeedItemStore {
  /**
   * Inserts the item if it is new, and claims it until then, unless it is done or another consumer
   * has it.
   */
  claim(message: FeedQueueMessage, at: FeedItemClaimTimes): Promise<FeedItemClaim>
  /** Ends the claim with this count of attempts; the row of a later claim is left unchanged. */
  settle(key: FeedItemKey, attempts: number, result: FeedItemResult, nowMs: number): Promise<void>
}
