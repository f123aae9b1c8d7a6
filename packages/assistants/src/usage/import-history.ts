import { availableParallelism } from 'node:os'
import { createReaderThreads } from '@steward/platform'
import type { UsageRecord } from './find-records.ts'
import { IMPORT_MODULE } from './import-module.ts'
import type { SentImport } from './import-share.ts'
import { createShared, shareTurns } from './import-turns.ts'
import { changedRecords, importUsage } from './import-usage.ts'
import type { UsageLedger } from './usage-ledger.ts'

/** Less is imported before another thread has started. */
const LARGE_BYTES = 64 * 1024 * 1024
const MOST_MS = 6 * 3_600_000
const HEAP_BYTES = 128 * 1024 * 1024
/** More would wait for each other to store. */
const MOST_OTHERS = 3

/**
 * Brings the ledger up to date like `importUsage`, much of it in several threads at once: reading takes
 * longer than storing. Only for a process without anything else to do.
 */
export const importHistory = async (
  changed: readonly UsageRecord[],
  ledger: UsageLedger,
): Promise<string[]> => {
  const bytes = changed.reduce((sum, each) => sum + each.bytes, 0)
  if (bytes < LARGE_BYTES || availableParallelism() < 2) {
    return importUsage(changed, { ledger, hasProgress: true, isBulk: true })
  }
  const others = Math.min(MOST_OTHERS, availableParallelism() - 1)
  const threads = createReaderThreads<SentImport, string[]>({
    module: IMPORT_MODULE,
    limitMs: MOST_MS,
    heapBytes: HEAP_BYTES,
    threads: others,
  })
  const shared = createShared()
  const records = changed.map(({ assistant, source, stamp }) => ({
    assistant,
    path: source.path,
    stamp,
  }))
  ledger.beginImport()
  try {
    const sent = { ledger: ledger.path, records, shared }
    const shares = Array.from({ length: others }, () => threads.read(sent, 'the usage history'))
    const ended = await Promise.allSettled([
      importUsage(changed, { ledger, turns: shareTurns(shared), hasProgress: true, isBulk: true }),
      ...shares,
    ])
    const problems = ended.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
    if (ended.every(({ status }) => status === 'fulfilled')) return problems
    // A thread that failed leaves records unread; if the ledger fails again, that is reported.
    return await importUsage(changedRecords(changed, ledger), { ledger })
  } finally {
    threads.close()
    ledger.endImport()
  }
}
