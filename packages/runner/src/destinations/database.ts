import type { Deliver } from '@steward/engine'
import { type Confinement, confinePath, openDatabase } from '@steward/platform'

/**
 * The schema of `state/flows.sqlite`. Version 1 has the tables that flows name, each with the columns
 * below. The user's own files have no version of ours.
 */
export const FLOWS_MIGRATIONS: readonly string[] = ['SELECT 1']

/** One row per item in the user's own SQLite table; the same item updates its row. */
export const createDatabaseDelivery =
  (defaultPath: string, folders: Confinement): Deliver<'database'> =>
  async ({ table, path }, { flow, item, output: fields, now }) => {
    const file = path === undefined ? defaultPath : await confinePath(path, folders)
    const database = openDatabase(
      file,
      path === undefined ? { migrations: FLOWS_MIGRATIONS } : { isPrivate: false },
    )
    try {
      await database.write(({ statement }) => {
        // The name is lower_snake_case by the schema of the registry, so quoting is enough.
        statement(`CREATE TABLE IF NOT EXISTS "${table}" (
          flow TEXT NOT NULL, item TEXT NOT NULL, title TEXT, delivered_at TEXT NOT NULL,
          output TEXT NOT NULL, PRIMARY KEY (flow, item))`).run()
        statement(`INSERT INTO "${table}" (flow, item, title, delivered_at, output) VALUES (?, ?, ?, ?, ?)
          ON CONFLICT (flow, item) DO UPDATE SET
            title = excluded.title, delivered_at = excluded.delivered_at, output = excluded.output`).run(
          flow.name,
          item.id,
          item.title,
          now.toISOString(),
          JSON.stringify(fields),
        )
      })
    } finally {
      await database.close()
    }
    return { database: file, table, item: item.id }
  }
