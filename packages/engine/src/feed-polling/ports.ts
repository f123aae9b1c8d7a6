import type {
  FeedQueueMessage,
  FeedRecord,
  FeedSubscription,
  Fetch,
  JsonObject,
} from '@steward/contract'
import type { QueueProducer } from '../queue/send-all.ts'

/** What is remembered of feeds: KV on the edge, SQLite locally. */
export interface FeedStore {
  read(url: string): Promise<FeedRecord | undefined>
  write(record: FeedRecord): Promise<void>
}

export interface PollPorts {
  feeds: readonly FeedSubscription[]
  store: FeedStore
  queue: QueueProducer<FeedQueueMessage>
  /** For feeds. Must honour `redirect: 'manual'` and refuse private addresses where there are any. */
  fetch: Fetch
  /** For the reader and the proxy; `fetch` unless given. */
  trustedFetch?: Fetch
  now: () => number
  /** In [0, 1): spreads checks, and chooses where a poll starts. */
  random: () => number
  /**
   * Subrequests that this invocation has left. Every call of `fetch`, `store` and `queue` costs one,
   * and whoever hands them in counts them.
   */
  remaining: () => number
  /** Fills `${NAME}` in a feed's own headers. */
  secret: (name: string) => string | undefined
  readerUrl?: string
  proxyUrl?: string
  proxyToken?: string
  /** Feeds at a time, of different hosts; 6 unless given. */
  concurrency?: number
  /** For one request; the platform's usual limit unless given. */
  timeoutMs?: number
  signal?: AbortSignal
  /** Called after each check, for whoever watches. */
  onCheck?: (check: FeedCheckReport) => void
}

/** What one check came to. */
export interface FeedCheckReport {
  url: string
  outcome: 'enqueued' | 'nothing-new' | 'unmodified' | 'failed'
  /** Items enqueued. */
  items: number
  message: string
}

export interface FeedItemKey {
  feedUrl: string
  itemId: string
}

/** `held`: another consumer works on it until then, or died doing so. */
export type FeedItemClaim =
  | { kind: 'claimed'; attempts: number; failures: number }
  | { kind: 'settled' }
  | { kind: 'held'; untilMs: number }

export type FeedItemResult =
  | { status: 'processed'; output: JsonObject }
  | { status: 'rejected'; error: string }
  /** It is offered again: it failed, or was only interrupted (null). */
  | { status: 'ingested'; error: string | null }

export interface FeedItemClaimTimes {
  nowMs: number
  untilMs: number
  /** Claims that end before this time belong to consumers that are gone. */
  endedBeforeMs?: number
}

/** The table of items: D1 on the edge, SQLite locally. */
export interface FeedItemStore {
  /** Puts the item in unless it is there, and takes it until then, unless it is done or another has it. */
  claim(message: FeedQueueMessage, at: FeedItemClaimTimes): Promise<FeedItemClaim>
  /** Ends the claim with this count of attempts; a later claim's row is left alone. */
  settle(key: FeedItemKey, attempts: number, result: FeedItemResult, nowMs: number): Promise<void>
}
