import { availableParallelism } from 'node:os'
import { createReaderThreads } from '@steward/platform'
import { LINE_READERS } from '../line-readers.ts'
import type { UsageRecord } from './find-records.ts'
import { IMPORT_MODULE } from './import-module.ts'
import type { SentImport } from './import-share.ts'
import { createShared, createTurns, shareTurns, takePart } from './import-turns.ts'
import { changedRecords, importInto, importUsage } from './import-usage.ts'
import type { ReadPart } from './read-records.ts'
import { createPartStore, type PartStore } from './store-parts.ts'
import type { UsageLedger } from './usage-ledger.ts'

/** Less is imported before another thread has started. */
const LARGE_BYTES = 64 * 1024 * 1024
const MOST_MS = 6 * 3_600_000
const HEAP_BYTES = 128 * 1024 * 1024
/** Little of what is read is kept, so that collecting it often costs little and saves memory. */
const YOUNG_BYTES = 6 * 1024 * 1024
/** More would wait for this thread to store. */
const MOST_OTHERS = 3
/** What is stored in one transaction: few wait in memory, and the progress is seen. */
const MOST_CALLS = 16_000
const MOST_FILES = 1000

/**
 * Brings the ledger up to date like `importUsage`, much of it in several threads at once: all read, and
 * only this one stores. Only for a process without anything else to do.
 */
export const importHistory = async (
  changed: readonly UsageRecord[],
  ledger: UsageLedger,
): Promise<string[]> => {
  const store = createPartStore({
    ledger,
    mostCalls: MOST_CALLS,
    mostFiles: MOST_FILES,
    total: changed.length,
  })
  const bytes = changed.reduce((sum, each) => sum + each.bytes, 0)
  const others = Math.min(MOST_OTHERS, availableParallelism() - 1)
  ledger.beginImport()
  try {
    if (bytes >= LARGE_BYTES && others > 0) {
      return await importTogether(changed, { ledger, store, others })
    }
    return await importInto(store, changed, { ledger, turns: createTurns() })
  } finally {
    store.flush()
    ledger.endImport()
  }
}

interface TogetherPorts {
  ledger: UsageLedger
  store: PartStore
  others: number
}

const importTogether = async (
  changed: readonly UsageRecord[],
  { ledger, store, others }: TogetherPorts,
): Promise<string[]> => {
  const threads = createReaderThreads<SentImport, string[], ReadPart>({
    module: IMPORT_MODULE,
    limitMs: MOST_MS,
    heapBytes: HEAP_BYTES,
    youngBytes: YOUNG_BYTES,
    threads: others,
  })
  const lines = changed.filter(({ assistant }) => LINE_READERS[assistant] !== undefined)
  const rest = changed.filter(({ assistant }) => LINE_READERS[assistant] === undefined)
  const shared = createShared()
  const known = ledger.stamps()
  const records = lines.map(({ assistant, source: { path }, stamp }) => {
    const mark = known.has(path) ? ledger.fileState(path)?.mark : undefined
    return { assistant, path, stamp, mark }
  })
  const failed: unknown[] = []
  const onPart = (part: ReadPart): void => {
    try {
      store.take(part)
    } catch (thrown) {
      failed.push(thrown)
    }
    takePart(shared)
  }
  try {
    const sent = { records, shared, prices: ledger.prices }
    const shares = Array.from({ length: others }, () =>
      threads.read(sent, 'the usage history', undefined, onPart),
    )
    const own = async (): Promise<string[]> => [
      ...(await importInto(store, rest, { ledger, turns: createTurns() })),
      ...(await importInto(store, lines, { ledger, turns: shareTurns(shared) })),
    ]
    const ended = await Promise.allSettled([own(), ...shares])
    const problems = ended.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
    const isComplete = failed.length === 0 && ended.every(({ status }) => status === 'fulfilled')
    if (isComplete) return problems
  } finally {
    threads.close()
  }
  // A thread that failed leaves records unread; if the ledger fails again, that is reported.
  return importUsage(changedRecords(changed, ledger), { ledger })
}
