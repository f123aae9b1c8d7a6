import type { UsageOrigin } from '@steward/contract'
import type { PriceTable } from '@steward/models'
import { createCallPacker, type PackedCalls } from './pack-calls.ts'
import type { FailedCommand, ReportedWindow, SessionTotal, UsageBatch } from './usage-reader.ts'

/** Calls of a file, and how far it was read. */
export interface LedgerEntry {
  assistant: UsageOrigin
  path: string
  /** The state of the file if all of it was read, or nothing. */
  stamp: string
  batch: UsageBatch
}

type Of<T> = T & { assistant: UsageOrigin }

/** Several entries, as they are stored together. */
export interface PackedEntries extends PackedCalls {
  files: Array<{ path: string; stamp: string; mark: UsageBatch['mark'] }>
  totals: Array<Of<SessionTotal>>
  titles: Array<Of<{ session: string; title: string }>>
  windows: Array<Of<ReportedWindow>>
  failures: Array<Of<{ failed: readonly FailedCommand[] }>>
}

export interface EntryPacker {
  add: (entry: LedgerEntry) => void
  /** How many calls and files were added since the last `take`. */
  calls: () => number
  files: () => number
  take: () => PackedEntries
}

export const createEntryPacker = (prices: PriceTable | undefined): EntryPacker => {
  const calls = createCallPacker(prices)
  let rest = noRest()
  return {
    calls: calls.count,
    files: () => rest.files.length,
    add: ({ assistant, path, stamp, batch }) => {
      for (const call of batch.calls) {
        calls.add(assistant, call, call.isCopy ? 'copy' : 'record')
        const { session, title } = call
        if (title !== undefined) rest.titles.push({ assistant, session, title })
      }
      for (const each of batch.totals) rest.totals.push({ assistant, ...each })
      for (const each of batch.titles ?? []) rest.titles.push({ assistant, ...each })
      for (const each of batch.windows ?? []) rest.windows.push({ assistant, ...each })
      if (batch.failures?.length) rest.failures.push({ assistant, failed: batch.failures })
      rest.files.push({ path, stamp, mark: batch.mark })
    },
    take: () => {
      const packed = { ...calls.take(), ...rest }
      rest = noRest()
      return packed
    },
  }
}

const noRest = (): Omit<PackedEntries, keyof PackedCalls> => ({
  files: [],
  totals: [],
  titles: [],
  windows: [],
  failures: [],
})
