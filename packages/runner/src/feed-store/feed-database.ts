import { type FeedItemRow, type FeedRecord, feedRecord } from '@steward/contract'
import {
  createFeedItemStore,
  FEED_ITEMS_MIGRATIONS,
  type FeedItemStore,
  type FeedStore,
  toFeedItemRow,
} from '@steward/engine'
import { openDatabase } from '@steward/platform'

/** `state/feeds.sqlite`: the poller's record of feeds, and the table of their items. */
export interface FeedDatabase {
  store: FeedStore
  items: FeedItemStore
  records: () => FeedRecord[]
  /** Deletes a feed's record; its items stay. */
  forget: (url: string) => Promise<void>
  /** The latest items first. */
  listItems: (limit: number) => FeedItemRow[]
  close: () => Promise<void>
}

export const FEED_MIGRATIONS = [
  `CREATE TABLE feeds (url TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT;`,
  ...FEED_ITEMS_MIGRATIONS,
]

export const openFeedDatabase = (path: string): FeedDatabase => {
  const database = openDatabase(path, { migrations: FEED_MIGRATIONS })
  return {
    store: {
      read: async (url) => {
        const row = database.read(({ statement }) =>
          statement('SELECT record FROM feeds WHERE url = ?').get(url),
        )
        return row === undefined ? undefined : parseRecord(row.record)
      },
      write: async (record) => {
        await database.write(({ statement }) =>
          statement(`INSERT INTO feeds (url, record) VALUES (?, ?)
            ON CONFLICT (url) DO UPDATE SET record = excluded.record`).run(
            record.url,
            JSON.stringify(record),
          ),
        )
      },
    },
    items: createFeedItemStore((sql, values) =>
      database.write(({ statement }) => statement(sql).all(...values)),
    ),
    records: () =>
      database
        .read(({ statement }) => statement('SELECT record FROM feeds ORDER BY url').all())
        .map(({ record }) => parseRecord(record)),
    forget: async (url) => {
      await database.write(({ statement }) => statement('DELETE FROM feeds WHERE url = ?').run(url))
    },
    listItems: (limit) =>
      database
        .read(({ statement }) =>
          statement('SELECT * FROM feed_items ORDER BY ingested_at DESC, rowid DESC LIMIT ?').all(
            limit,
          ),
        )
        .map(toFeedItemRow),
    close: database.close,
  }
}

const parseRecord = (text: unknown): FeedRecord => feedRecord.parse(JSON.parse(String(text)))
