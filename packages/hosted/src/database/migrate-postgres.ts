import { StewardError } from '@steward/contract'
import type pg from 'pg'
import { MIGRATIONS } from './migrations.ts'

/** Any number that only this program takes for its advisory lock. */
const LOCK = 31_337_004

/** Brings the schema to its newest step; of processes that start together one does it. */
export const migratePostgres = async (pool: pg.Pool): Promise<void> => {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK])
    await client.query('CREATE TABLE IF NOT EXISTS hosted_schema (version BIGINT NOT NULL)')
    const { rows } = await client.query('SELECT max(version) AS version FROM hosted_schema')
    const version = Number(rows[0]?.version ?? 0)
    if (version > MIGRATIONS.length) {
      const reason = `a newer Steward wrote it (schema ${version}; this one knows up to ${MIGRATIONS.length}); update Steward to use it`
      throw new StewardError('storage_failed', { path: 'the database', reason })
    }
    for (const [place, step] of MIGRATIONS.entries()) {
      if (place < version) continue
      await client.query(step.replaceAll('BYTES', 'BYTEA'))
      await client.query('INSERT INTO hosted_schema (version) VALUES ($1)', [place + 1])
    }
    await client.query('COMMIT')
  } catch (thrown) {
    await client.query('ROLLBACK')
    throw thrown
  } finally {
    client.release()
  }
}
