import type { UsageOrigin } from '@steward/contract'
import { findSources } from './find-records.ts'
import { shareTurns } from './import-turns.ts'
import { importUsage } from './import-usage.ts'
import { openUsageLedger } from './usage-ledger.ts'

export interface SentImport {
  /** The file of the ledger. */
  ledger: string
  records: ReadonlyArray<{ assistant: UsageOrigin; path: string; stamp: string }>
  shared: Int32Array<SharedArrayBuffer>
}

/** Runs in a thread: imports its share of the records, and returns what it could not read. */
export const read = async (sent: SentImport): Promise<string[]> => {
  const ledger = openUsageLedger(sent.ledger)
  try {
    ledger.beginImport()
    const turns = shareTurns(sent.shared)
    return await importUsage(await findSources(sent.records), { ledger, turns, isBulk: true })
  } finally {
    await ledger.close()
  }
}
