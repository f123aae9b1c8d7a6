import type { Database } from '@steward/platform'

export const SEEN_ITEMS_MIGRATIONS = [
  `
  CREATE TABLE flow_items (
    flow TEXT NOT NULL,
    item TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('delivered', 'rejected', 'failed')),
    attempts INTEGER NOT NULL,
    run_id TEXT NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (flow, item)
  ) STRICT, WITHOUT ROWID;
  `,
] as const

type ItemStatus = 'delivered' | 'rejected' | 'failed'

/** A flow's record of its items, by identity and never by date. */
export interface SeenItems {
  /** The attempts of an item, and whether it is settled: delivered, rejected, or out of retries. */
  look: (flow: string, item: string) => { attempts: number; settled: boolean }
  mark: (
    flow: string,
    item: string,
    status: ItemStatus,
    run: { id: string; at: number },
  ) => Promise<void>
}

export const createSeenItems = (database: Database, maxAttempts: number): SeenItems => ({
  look: (flow, item) => {
    const row = database
      .statement('SELECT status, attempts FROM flow_items WHERE flow = ? AND item = ?')
      .get(flow, item)
    if (row === undefined) return { attempts: 0, settled: false }
    const attempts = Number(row.attempts)
    return { attempts, settled: row.status !== 'failed' || attempts >= maxAttempts }
  },
  mark: async (flow, item, status, { id, at }) => {
    await database.write(({ statement }) =>
      statement(`INSERT INTO flow_items (flow, item, status, attempts, run_id, at) VALUES (?, ?, ?, 1, ?, ?)
        ON CONFLICT (flow, item) DO UPDATE SET
          status = excluded.status, attempts = attempts + 1, run_id = excluded.run_id, at = excluded.at`).run(
        flow,
        item,
        status,
        id,
        at,
      ),
    )
  },
})
