import type { UsageQuery } from '@steward/contract'
import { openDatabase } from '@steward/platform'
import { sumAllChanged } from './ledger-parts.ts'
import { type ModelTotal, readTotals } from './sum-costs.ts'
import { type LedgerReport, report } from './usage-report.ts'

export interface SentQuestion {
  path: string
  /** Without it, only the totals are read. */
  query?: UsageQuery
  nowMs: number
}

export interface LedgerAnswer {
  report?: LedgerReport
  totals?: ModelTotal[]
}

/** Runs in a thread: answers one question about the ledger at this path. */
export const read = async ({ path, query, nowMs }: SentQuestion): Promise<LedgerAnswer> => {
  const database = openDatabase(path, {})
  try {
    sumAllChanged(database)
    if (query === undefined) return { totals: database.read(readTotals) }
    return { report: database.read((connection) => report(connection, query, nowMs)) }
  } finally {
    await database.close()
  }
}
