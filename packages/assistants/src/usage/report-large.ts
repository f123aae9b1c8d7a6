import type { UsageQuery } from '@steward/contract'
import { createReaderThreads } from '@steward/platform'
import type { LedgerAnswer, SentQuestion } from './read-report.ts'
import { REPORT_MODULE } from './report-module.ts'
import type { ModelTotal } from './sum-costs.ts'
import type { UsageLedger } from './usage-ledger.ts'
import type { LedgerReport } from './usage-report.ts'

export interface LedgerReports {
  report: (query: UsageQuery, nowMs: number) => Promise<LedgerReport>
  totals: (nowMs: number) => Promise<ModelTotal[]>
  close: () => void
}

/** A ledger with fewer contexts is summed up in less time than a thread takes to start. */
const SMALL_CONTEXTS = 1000
const LIMIT_MS = 60_000
const HEAP_BYTES = 128 * 1024 * 1024

/** Sums up a large ledger in a thread, so that hooks and pages are answered meanwhile. */
export const createLedgerReports = (
  ledger: UsageLedger,
  smallContexts = SMALL_CONTEXTS,
): LedgerReports => {
  const threads = createReaderThreads<SentQuestion, LedgerAnswer>({
    module: REPORT_MODULE,
    limitMs: LIMIT_MS,
    heapBytes: HEAP_BYTES,
    threads: 1,
  })
  const ask = (question: Omit<SentQuestion, 'path'>): Promise<LedgerAnswer> =>
    threads.read({ path: ledger.path, ...question }, 'the usage ledger')
  const isSmall = (): boolean => ledger.countContexts() <= smallContexts
  return {
    report: async (query, nowMs) => {
      const sent = isSmall() ? undefined : (await ask({ query, nowMs })).report
      return sent ?? ledger.report(query, nowMs)
    },
    totals: async (nowMs) => {
      const sent = isSmall() ? undefined : (await ask({ nowMs })).totals
      return sent ?? ledger.totals()
    },
    close: threads.close,
  }
}
