import { mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Deliver } from '@steward/engine'
import { storageErrorOf } from '@steward/platform'

/** A row an item in a SQLite table of the person’s own; the same item again updates its row. */
export const createDatabaseDelivery =
  (defaultPath: string, output: string): Deliver<'database'> =>
  async ({ table, path }, { flow, item, output: fields, now }) => {
    const file = path === undefined ? defaultPath : resolve(output, path)
    try {
      mkdirSync(dirname(file), { recursive: true })
      const database = new DatabaseSync(file, { timeout: 10_000 })
      try {
        database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
        // The name is lower_snake_case by the schema of the registry, so quoting is enough.
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
      throw storageErrorOf(file, cause)
    }
    return { database: file, table, item: item.id }
  }
