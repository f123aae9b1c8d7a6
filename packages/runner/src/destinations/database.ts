import { mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { toStewardError } from '@steward/contract'
import type { Deliver } from '@steward/engine'
import { openDatabase } from '@steward/platform'

/**
 * The schema of `state/flows.sqlite`. Version 1 has the tables that flows name, each with the columns
 * below. Files of the person's own have no version of ours.
 */
export const FLOWS_MIGRATIONS: readonly string[] = ['SELECT 1']

/** A row an item in a SQLite table of the person’s own; the same item again updates its row. */
export const createDatabaseDelivery =
  (defaultPath: string, output: string): Deliver<'database'> =>
  async ({ table, path }, { flow, item, output: fields, now }) => {
    const file = path === undefined ? defaultPath : resolve(output, path)
    // The name is lower_snake_case by the schema of the registry, so quoting is enough.
    const create = `CREATE TABLE IF NOT EXISTS "${table}" (
      flow TEXT NOT NULL, item TEXT NOT NULL, title TEXT, delivered_at TEXT NOT NULL,
      output TEXT NOT NULL, PRIMARY KEY (flow, item))`
    const insert = `INSERT INTO "${table}" (flow, item, title, delivered_at, output) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (flow, item) DO UPDATE SET
        title = excluded.title, delivered_at = excluded.delivered_at, output = excluded.output`
    const row = [flow.name, item.id, item.title, now.toISOString(), JSON.stringify(fields)] as const
    try {
      if (path === undefined) await writeOwn(file, create, insert, row)
      else writeForeign(file, create, insert, row)
    } catch (cause) {
      throw toStewardError(cause, 'storage_failed', { path: file })
    }
    return { database: file, table, item: item.id }
  }

type Row = readonly (string | null)[]

const writeOwn = async (file: string, create: string, insert: string, row: Row): Promise<void> => {
  const database = openDatabase(file, { migrations: FLOWS_MIGRATIONS })
  try {
    await database.write(({ statement }) => {
      statement(create).run()
      statement(insert).run(...row)
    })
  } finally {
    await database.close()
  }
}

const writeForeign = (file: string, create: string, insert: string, row: Row): void => {
  mkdirSync(dirname(file), { recursive: true })
  const database = new DatabaseSync(file, { timeout: 10_000 })
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    database.exec(create)
    database.prepare(insert).run(...row)
  } finally {
    database.close()
  }
}
