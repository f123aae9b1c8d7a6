import { reasonOf, type UsageOrigin } from '@steward/contract'
import { isAbsent } from '@steward/platform'
import { createBreather, type FoundRecords, type UsageRecord } from './find-records.ts'
import { createTurns, type ImportTurns } from './import-turns.ts'
import type { LedgerEntry, UsageLedger } from './usage-ledger.ts'
import type { FailedCommand, UsageBatch } from './usage-reader.ts'

export interface ImportPorts {
  ledger: UsageLedger
  signal?: AbortSignal
  /** Stores how far the import is, so that other processes can show it. */
  hasProgress?: boolean
  /** Nothing else waits for this process or the ledger: more is stored at once. */
  isBulk?: boolean
  /** For threads that import the same records. */
  turns?: ImportTurns
  /** Called once for each command that failed, when that is stored. */
  onFailures?: (assistant: UsageOrigin, failures: readonly FailedCommand[]) => void
}

/** What is stored in one transaction: enough to be fast, little enough to be held in memory. */
const MOST_CALLS = 2000
const MOST_FILES = 200
const BULK_CALLS = 10_000
const BULK_FILES = 1000
/** The states of so few are asked for one by one. */
const FEW_RECORDS = 200

/** The records that have changed since they were read, the newest first. */
export const changedRecords = (
  records: readonly UsageRecord[],
  ledger: UsageLedger,
): UsageRecord[] => {
  const paths = records.map(({ source }) => source.path)
  const stamps = ledger.stamps(paths.length > FEW_RECORDS ? undefined : paths)
  return records
    .filter(({ source, stamp }) => stamps.get(source.path) !== stamp)
    .toSorted((one, other) => other.changedMs - one.changedMs)
}

/**
 * Brings the ledger up to date with changed records. Files are read in parts, and other work of the
 * process goes on between them. Resolves to what could not be read.
 */
export const importUsage = async (
  changed: ReadonlyArray<Pick<UsageRecord, 'assistant' | 'source' | 'stamp'>>,
  { ledger, signal, hasProgress = false, isBulk = false, turns, onFailures }: ImportPorts,
): Promise<FoundRecords['problems']> => {
  const problems: string[] = []
  const breathe = createBreather()
  const { next, exclusively } = turns ?? createTurns()
  const mostCalls = isBulk ? BULK_CALLS : MOST_CALLS
  const mostFiles = isBulk ? BULK_FILES : MOST_FILES
  const known = isBulk ? ledger.stamps() : undefined
  let entries: LedgerEntry[] = []
  let calls = 0
  let bytes = 0
  const flush = (done: number): void => {
    const progress = hasProgress ? { done, total: changed.length, bytes } : undefined
    exclusively(() => ledger.add(entries, progress))
    for (const { assistant, batch } of entries) {
      if (batch.failures?.length) onFailures?.(assistant, batch.failures)
    }
    entries = []
    calls = 0
  }
  const push = (assistant: UsageOrigin, path: string, stamp: string, batch: UsageBatch): void => {
    entries.push({ assistant, path, stamp, batch })
    calls += batch.calls.length
  }
  const isWhole = hasProgress && turns === undefined
  if (isWhole) ledger.beginImport()
  for (let done = next(); done < changed.length; done = next()) {
    const record = changed[done]
    if (signal?.aborted || record === undefined) break
    const { assistant, source, stamp } = record
    if (calls >= mostCalls || entries.length >= mostFiles) flush(done)
    try {
      const isNew = known !== undefined && !known.has(source.path)
      let mark = isNew ? undefined : ledger.fileState(source.path)?.mark
      const from = mark?.offset ?? 0
      let last: UsageBatch | undefined
      for (const batch of source.read(mark)) {
        // Only the last part has reached the state that the stamp stands for.
        if (last !== undefined && hasContent(last)) push(assistant, source.path, '', last)
        last = batch
        mark = batch.mark
        if (calls >= mostCalls) flush(done)
        await breathe()
        if (signal?.aborted) break
      }
      if (signal?.aborted) break
      const end = mark ?? { offset: 0, memory: {} }
      bytes += Math.max(0, end.offset - from)
      push(assistant, source.path, stamp, last ?? { calls: [], totals: [], mark: end })
    } catch (thrown) {
      if (!isAbsent(thrown)) problems.push(`${source.path}: ${reasonOf(thrown)}`)
    }
  }
  flush(changed.length)
  if (isWhole) ledger.endImport()
  return problems
}

const hasContent = (batch: UsageBatch): boolean => {
  const { calls, totals, titles = [], windows = [], failures = [] } = batch
  return [calls, totals, titles, windows, failures].some(({ length }) => length > 0)
}
