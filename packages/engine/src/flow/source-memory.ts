import type { FlowSource, JsonObject } from '@steward/contract'
import { sha256Hex } from '../feed-format/sha256.ts'
import type { LedgerPorts } from './item-ledger.ts'
import type { LedgerEntry } from './ledger-rows.ts'

/** What sources remember between runs, in SQLite and D1, beside the items. */
export const FLOW_SOURCES_TABLE = `
  CREATE TABLE IF NOT EXISTS flow_sources (
    flow TEXT NOT NULL,
    source TEXT NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (flow, source)
  ) STRICT, WITHOUT ROWID;
  `

/** Validators of conditional requests, cursors and the like, by source of one flow. */
export interface SourceMemory {
  /** The state that the last run kept; undefined at first and after a change of the source. */
  recall: (source: FlowSource) => Promise<unknown>
  /** The state for the next run. It is held back until `commit`. */
  keep: (source: FlowSource, state: JsonObject) => void
  /**
   * Stores what was kept, once the items are in the ledger. If one of the open items could not be
   * stored there, the source has to list it again, so nothing is stored.
   */
  commit: (open: Iterable<Pick<LedgerEntry, 'payload' | 'output'>>) => Promise<void>
}

const READ = 'SELECT state FROM flow_sources WHERE flow = ?1 AND source = ?2'
const WRITE = `INSERT INTO flow_sources (flow, source, state) VALUES (?1, ?2, ?3)
  ON CONFLICT (flow, source) DO UPDATE SET state = excluded.state`

export const createSourceMemory = (
  flow: string,
  { query, encode }: Pick<LedgerPorts, 'query' | 'encode'>,
): SourceMemory => {
  const kept = new Map<string, JsonObject>()
  return {
    recall: async (source) => {
      const [row] = await query(READ, [flow, keyOf(source)])
      return typeof row?.state === 'string' ? JSON.parse(row.state) : undefined
    },
    keep: (source, state) => {
      kept.set(keyOf(source), state)
    },
    commit: async (open) => {
      const states = [...kept]
      kept.clear()
      for (const { payload, output } of open) if (payload === null && output === null) return
      for (const [key, state] of states) {
        // An address of the next page may contain a secret; without it the run starts over.
        const text = encode(state)
        if (text !== null) await query(WRITE, [flow, key, text])
      }
    },
  }
}

/** For a run that has to read everything again. */
export const withoutRecall = (memory: SourceMemory): SourceMemory => ({
  ...memory,
  recall: async () => undefined,
})

const keyOf = (source: FlowSource): string => sha256Hex(JSON.stringify(source)).slice(0, 32)
