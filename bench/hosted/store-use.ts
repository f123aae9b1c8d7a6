import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'

/** What a store has written so far. */
export interface StoreUse {
  bytes: number
  /** Only Postgres counts these. */
  commits?: number
  walBytes?: number
}

export type ReadStoreUse = () => Promise<StoreUse>

export const readSqliteUse =
  (path: string): ReadStoreUse =>
  async () => {
    // The content of the write-ahead log counts too.
    const database = new DatabaseSync(path, { readOnly: true })
    try {
      const pragma = (name: string): number =>
        Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0])
      return { bytes: pragma('page_count') * pragma('page_size') }
    } finally {
      database.close()
    }
  }

export const readPostgresUse =
  (url: string): ReadStoreUse =>
  async () => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      const { rows } = await client.query(
        `SELECT pg_database_size(current_database()) AS bytes, xact_commit AS commits,
           pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS wal
         FROM pg_stat_database WHERE datname = current_database()`,
      )
      const [row] = rows
      return {
        bytes: Number(row?.bytes),
        commits: Number(row?.commits),
        walBytes: Number(row?.wal),
      }
    } finally {
      await client.end()
    }
  }

/** The storage cost per event. */
export const describeStoreUse = (before: StoreUse, after: StoreUse, events: number): string => {
  const each = (from = 0, to = 0): number => (to - from) / events
  const grown = `${(each(before.bytes, after.bytes) / 1024).toFixed(2)} kB of file an event`
  if (after.commits === undefined) return grown
  return [
    grown,
    `${(each(before.walBytes, after.walBytes) / 1024).toFixed(2)} kB of log`,
    `${each(before.commits, after.commits).toFixed(2)} transactions`,
  ].join(', ')
}
