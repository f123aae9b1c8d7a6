import { isFields, reasonOf, StewardError } from '@steward/contract'
import pg from 'pg'
import type { HostedDatabase } from './hosted-database.ts'
import { listenPostgres } from './listen-postgres.ts'
import { migratePostgres } from './migrate-postgres.ts'
import { CHANNEL, NOTIFY, packAnnouncement } from './notifications.ts'
import type { Announcement, Tx } from './tx.ts'

export interface PostgresOptions {
  url: string
  /** Connections of this process; one more listens. */
  connections?: number
  /** Where failures that no caller waits for go. */
  report: (error: StewardError) => void
}

/** A serialisation failure or a deadlock: the same transaction may well pass a moment later. */
const PASSING = new Set(['40001', '40P01'])
const ATTEMPTS = 5

/** Opens the store that several processes and machines share. */
export const openPostgres = async (options: PostgresOptions): Promise<HostedDatabase> => {
  const place = withoutPassword(options.url)
  // What the driver throws carries its connection, password and all: only its words go on.
  const failed = (thrown: unknown): StewardError =>
    thrown instanceof StewardError
      ? thrown
      : new StewardError('storage_failed', { path: place, reason: reasonOf(thrown) })

  const pool = new pg.Pool({ connectionString: options.url, max: options.connections ?? 10 })
  let closing = false
  const report = (thrown: unknown): void => {
    if (!closing) options.report(failed(thrown))
  }
  pool.on('error', report)
  const listeners = new Set<(announcement: Announcement) => void>()
  const deliver = (announcement: Announcement): void => {
    for (const listener of listeners) listener(announcement)
  }

  /** One attempt in a transaction of its own. */
  const attempt = async <T>(tx: () => Tx<T>, begin: string): Promise<T> => {
    const client = await pool.connect()
    let broken = false
    try {
      await client.query(begin)
      const value = await play(client, tx())
      await client.query('COMMIT')
      return value
    } catch (thrown) {
      await client.query('ROLLBACK').catch(() => {
        broken = true
      })
      throw thrown
    } finally {
      client.release(broken)
    }
  }

  const run = async <T>(tx: () => Tx<T>, begin: string): Promise<T> => {
    for (let count = 1; ; count++) {
      try {
        return await attempt(tx, begin)
      } catch (thrown) {
        if (count < ATTEMPTS && PASSING.has(codeOf(thrown))) continue
        throw failed(thrown)
      }
    }
  }

  try {
    await migratePostgres(pool)
  } catch (thrown) {
    await pool.end()
    throw failed(thrown)
  }
  const listening = await listenPostgres({
    url: options.url,
    deliver,
    report,
  })

  return {
    engine: 'postgres',
    place,
    read: (tx) => run(tx, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'),
    write: (tx) => run(tx, 'BEGIN'),
    tell: listening.tell,
    hear: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: async () => {
      closing = true
      await listening.close()
      await pool.end()
    },
  }
}

const play = async <T>(client: pg.PoolClient, tx: Tx<T>): Promise<T> => {
  let step = tx.next([])
  while (!step.done) {
    const operation = step.value
    if ('announce' in operation) {
      await client.query(NOTIFY, [CHANNEL, packAnnouncement(operation.announce)])
      step = tx.next([])
      continue
    }
    const { rows } = await client.query(operation.text, [...operation.values])
    step = tx.next(rows)
  }
  return step.value
}

const codeOf = (thrown: unknown): string =>
  isFields(thrown) && typeof thrown.code === 'string' ? thrown.code : ''

const withoutPassword = (url: string): string => {
  const parsed = URL.parse(url)
  return parsed === null ? 'the database' : `${parsed.protocol}//${parsed.host}${parsed.pathname}`
}
