import {
  createItemLedger,
  createSourceMemory,
  FLOW_DELIVERIES_TABLES,
  FLOW_ITEMS_TABLE,
  FLOW_SOURCES_TABLE,
  type ItemLedger,
  type LedgerPorts,
  type SourceMemory,
} from '@steward/engine'
import type { Database } from '@steward/platform'
import type { HistoryRedactor } from './payloads.ts'

/**
 * Version 2 kept three states and lost the items that failed three times. They become given-up
 * items, which can be listed and retried; nothing that was delivered is delivered again.
 */
export const FLOW_ITEMS_MIGRATIONS = [
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
  `
  ALTER TABLE flow_items RENAME TO seen_items;
  ${FLOW_ITEMS_TABLE}
  INSERT INTO flow_items (flow, item, state, attempts, changed_at, failing_since, run_id, reported)
    SELECT flow, item,
      CASE WHEN status <> 'failed' THEN status WHEN attempts >= 3 THEN 'given-up' ELSE 'found' END,
      attempts, at, CASE status WHEN 'failed' THEN at END, run_id, 1
    FROM seen_items ORDER BY at;
  DROP TABLE seen_items;
  `,
] as const

export const FLOW_SOURCES_MIGRATIONS = [FLOW_SOURCES_TABLE] as const

/** Several destinations and digests; the item table stays as it is. */
export const DELIVERIES_MIGRATIONS = [FLOW_DELIVERIES_TABLES] as const

/** The items of a flow, and what its sources remember. */
export type OpenLedger = (flow: string) => ItemLedger & { memory: SourceMemory }

/** The item ledger in the history's database, so that both share commits. */
export const createOpenLedger =
  (database: Database, { known }: Pick<HistoryRedactor, 'known'>): OpenLedger =>
  (flow) => {
    const ports: LedgerPorts = {
      query: async (sql, values) =>
        sql.startsWith('SELECT')
          ? database.read(({ statement }) => statement(sql).all(...values))
          : database.write(({ statement }) => statement(sql).all(...values)),
      encode: (value) => {
        const { value: clean, found } = known.redactFields(value)
        return found.length > 0 ? null : JSON.stringify(clean)
      },
      mask: (text) => known.redactText(text).value,
    }
    return { ...createItemLedger(flow, ports), memory: createSourceMemory(flow, ports) }
  }
