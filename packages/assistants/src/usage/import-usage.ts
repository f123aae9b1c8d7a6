import type { UsageOrigin } from '@steward/contract'
import { createBreather, type UsageRecord } from './find-records.ts'
import { createTurns, type ImportTurns } from './import-turns.ts'
import { type RecordToRead, readRecords } from './read-records.ts'
import { createPartStore, type PartStore } from './store-parts.ts'
import type { UsageLedger } from './usage-ledger.ts'
import type { FailedCommand } from './usage-reader.ts'

export interface ImportPorts {
  ledger: UsageLedger
  signal?: AbortSignal
  /** Stores how far the import is, so that other processes can show it. */
  hasProgress?: boolean
  /** Called once for each command that failed, when that is stored. */
  onFailures?: (assistant: UsageOrigin, failures: readonly FailedCommand[]) => void
}

/** What is stored in one transaction. */
const MOST_CALLS = 2000
const MOST_FILES = 200
/** The states of so few are asked for one by one. */
const FEW_RECORDS = 200

/** The records that have changed since they were read, the newest first. */
export const changedRecords = (
  records: readonly UsageRecord[],
  ledger: UsageLedger,
): UsageRecord[] => {
  const stamps = stampsOf(records, ledger)
  return records
    .filter(({ source, stamp }) => stamps.get(source.path) !== stamp)
    .toSorted((one, other) => other.changedMs - one.changedMs)
}

const stampsOf = (
  records: readonly RecordToRead[],
  ledger: UsageLedger,
): ReadonlyMap<string, string> => {
  if (records.length > FEW_RECORDS) return ledger.stamps()
  return ledger.stamps(records.map(({ source }) => source.path))
}

/**
 * Brings the ledger up to date with changed records. Files are read in parts, and other work of the
 * process goes on between them. Resolves to what could not be read.
 */
export const importUsage = async (
  changed: readonly RecordToRead[],
  { ledger, signal, hasProgress = false, onFailures }: ImportPorts,
): Promise<string[]> => {
  const store = createPartStore({
    ledger,
    mostCalls: MOST_CALLS,
    mostFiles: MOST_FILES,
    ...(hasProgress ? { total: changed.length } : {}),
    ...(onFailures === undefined ? {} : { onFailures }),
  })
  if (hasProgress) ledger.beginImport()
  const problems = await importInto(store, changed, { ledger, signal, turns: createTurns() })
  store.flush()
  if (hasProgress) ledger.endImport()
  return problems
}

/** Reads records and gives them to a store, which may get others from other threads. */
export const importInto = async (
  store: PartStore,
  records: readonly RecordToRead[],
  ports: { ledger: UsageLedger; turns: ImportTurns; signal?: AbortSignal | undefined },
): Promise<string[]> => {
  const { ledger, turns, signal } = ports
  const breathe = createBreather()
  const known = stampsOf(records, ledger)
  const reading = readRecords(records, {
    next: turns.next,
    markOf: ({ source: { path } }) => (known.has(path) ? ledger.fileState(path)?.mark : undefined),
    prices: ledger.prices,
  })
  for (;;) {
    const { value, done } = signal?.aborted ? reading.return([]) : reading.next()
    if (done) return value
    if (value !== undefined) store.take(value)
    await breathe()
  }
}
