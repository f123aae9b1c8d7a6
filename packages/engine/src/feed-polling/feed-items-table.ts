import { type FeedItemRow, feedItemRow, type JsonObject } from '@steward/contract'
import type { SqlQuery, SqlValue } from '../flow/sql-query.ts'
import type { FeedItemStore } from './ports.ts'

/** `feed_items` in SQLite and D1. Columns are those of `FeedItemRow`; labels are a JSON array. */
export const FEED_ITEMS_MIGRATIONS = [
  `
  CREATE TABLE IF NOT EXISTS feed_items (
    feed_url TEXT NOT NULL,
    item_id TEXT NOT NULL,
    title TEXT,
    content TEXT,
    url TEXT,
    author TEXT,
    published_at TEXT,
    status TEXT NOT NULL CHECK (status IN ('ingested', 'processing', 'processed', 'rejected')),
    tier TEXT,
    quality_score REAL,
    labels TEXT NOT NULL DEFAULT '[]',
    summary_short TEXT,
    summary_medium TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    error TEXT,
    truncated INTEGER NOT NULL DEFAULT 0,
    ingested_at TEXT NOT NULL,
    processed_at TEXT,
    claimed_until TEXT,
    PRIMARY KEY (feed_url, item_id)
  );
  CREATE INDEX IF NOT EXISTS feed_items_by_time ON feed_items (ingested_at);
  `,
] as const

/**
 * Inserts and claims in one statement, so that only one of two consumers gets it. A claim that ends
 * later than any claim can was made before the clock was set back.
 */
const CLAIM = `INSERT INTO feed_items
  (feed_url, item_id, title, content, url, author, published_at, status, attempts, truncated, ingested_at, claimed_until)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'processing', 1, ?8, ?9, ?10)
  ON CONFLICT (feed_url, item_id) DO UPDATE SET
    status = 'processing', attempts = attempts + 1, claimed_until = excluded.claimed_until
  WHERE status = 'ingested' OR (status = 'processing'
    AND (claimed_until <= ?9 OR claimed_until < ?11 OR claimed_until > ?12))
  RETURNING attempts, failures`
const LOOK = 'SELECT status, claimed_until FROM feed_items WHERE feed_url = ?1 AND item_id = ?2'
const SETTLE = `UPDATE feed_items SET
    status = ?4, error = ?5, tier = ?6, quality_score = ?7, labels = ?8, summary_short = ?9,
    summary_medium = ?10, processed_at = ?11, failures = failures + ?12, claimed_until = NULL
  WHERE feed_url = ?1 AND item_id = ?2 AND attempts = ?3 AND status = 'processing'`

/** How far the clocks of two consumers may be apart. */
const CLOCK_SKEW_MS = 60_000

/** The table of items on any SQLite. */
export const createFeedItemStore = (query: SqlQuery): FeedItemStore => ({
  claim: async ({ feed_url, item, truncated }, { nowMs, untilMs, endedBeforeMs = 0 }) => {
    const latestMs = untilMs + CLOCK_SKEW_MS
    const [claimed] = await query(CLAIM, [
      feed_url,
      item.id,
      item.title,
      item.content ?? item.summary,
      item.link,
      item.author,
      item.published ?? item.updated,
      truncated === true ? 1 : 0,
      toTime(nowMs),
      toTime(untilMs),
      toTime(endedBeforeMs),
      toTime(latestMs),
    ])
    if (claimed !== undefined) {
      const { attempts, failures } = claimed
      return { kind: 'claimed', attempts: Number(attempts), failures: Number(failures) }
    }
    const [row] = await query(LOOK, [feed_url, item.id])
    if (row?.status !== 'processing') return { kind: 'settled' }
    return { kind: 'held', untilMs: Math.min(Date.parse(String(row.claimed_until)), latestMs) }
  },
  settle: async ({ feedUrl, itemId }, attempts, result, nowMs) => {
    const columns = columnsOf(result.status === 'processed' ? result.output : {})
    await query(SETTLE, [
      feedUrl,
      itemId,
      attempts,
      result.status,
      result.status === 'processed' ? null : result.error,
      ...columns,
      result.status === 'ingested' ? null : toTime(nowMs),
      result.status === 'ingested' && result.error !== null ? 1 : 0,
    ])
  },
})

/** Converts a database row to the contract's shape. */
export const toFeedItemRow = (row: Record<string, unknown>): FeedItemRow =>
  feedItemRow.parse({
    ...row,
    labels: JSON.parse(String(row.labels)),
    truncated: row.truncated === 1,
  })

/** tier, quality_score, labels, summary_short, summary_medium. */
const columnsOf = (output: JsonObject): SqlValue[] => {
  const { rating, quality_score, labels, one_sentence_summary, summary } = output
  return [
    textOf(rating),
    typeof quality_score === 'number' ? quality_score : null,
    JSON.stringify(Array.isArray(labels) ? labels.filter((each) => typeof each === 'string') : []),
    textOf(one_sentence_summary),
    textOf(summary),
  ]
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const toTime = (ms: number): string => new Date(ms).toISOString()
