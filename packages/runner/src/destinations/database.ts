import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { toStewardError } from '@steward/contract'
import type { Deliver } from '@steward/engine'
import { type Confinement, confinePath } from '@steward/platform'

/** One row per item in the user's own SQLite table; the same item updates its row. */
export const createDatabaseDelivery =
  (defaultPath: string, folders: Confinement): Deliver<'database'> =>
  async ({ table, path }, { flow, item, output: fields, now }) => {
    const file = path === undefined ? defaultPath : await confinePath(path, folders)
    try {
      mkdirSync(dirname(file), { recursive: true })
      const database = new DatabaseSync(file, { timeout: 10_000 })
      try {
        database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
        // The registry's schema requires a lower_snake_case name, so quoting is enough.
        database.exec(`CREATE TABLE IF NOT EXISTS "${table}" (
          flow TEXT NOT NULL, item TEXT NOT NULL, title TEXT, delivered_at TEXT NOT NULL,
          output TEXT NOT NULL, PRIMARY KEY (flow, item))`)
        database
          .prepare(`INSERT INTO "${table}" (flow, item, title, delivered_at, output) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (flow, item) DO UPDATE SET
              title = excluded.title, delivered_at = excluded.delivered_at, output = excluded.output`)
          .run(flow.name, item.id, item.title, now.toISOString(), JSON.stringify(fields))
      } finally {
        database.close()
      }
    } catch (cause) {
      throw toStewardError(cause, 'storage_failed', { path: file })
    }
    return { database: file, table, item: item.id }
  }
