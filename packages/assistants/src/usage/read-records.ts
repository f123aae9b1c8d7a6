import { reasonOf, type UsageOrigin } from '@steward/contract'
import type { PriceTable } from '@steward/models'
import { isAbsent } from '@steward/platform'
import { createEntryPacker, type PackedEntries } from './pack-entries.ts'
import type { UsageBatch, UsageSource } from './usage-reader.ts'

export interface RecordToRead {
  assistant: UsageOrigin
  source: UsageSource
  /** What is stored when all of it was read. */
  stamp: string
}

interface ReadPorts<Item extends RecordToRead> {
  /** The place of the record to read next, until there is none. */
  next: () => number
  /** Where the last read of it ended. */
  markOf: (record: Item) => UsageBatch['mark'] | undefined
  prices: PriceTable | undefined
}

/** How much was read in addition to the calls. */
export interface ReadPart {
  packed: PackedEntries
  bytes: number
}

/** A part is large enough to be fast, small enough to be held in memory. */
const MOST_CALLS = 2000
const MOST_FILES = 200

/**
 * Reads records in parts. Pauses with `undefined` after each part of a file, so that other work can go
 * on. Returns what could not be read.
 */
export const readRecords = function* <Item extends RecordToRead>(
  records: readonly Item[],
  { next, markOf, prices }: ReadPorts<Item>,
): Generator<ReadPart | undefined, string[]> {
  const problems: string[] = []
  const packer = createEntryPacker(prices)
  let bytes = 0
  const take = (): ReadPart => {
    const part = { packed: packer.take(), bytes }
    bytes = 0
    return part
  }
  for (let record = records[next()]; record !== undefined; record = records[next()]) {
    const { assistant, source, stamp } = record
    const { path } = source
    try {
      let mark = markOf(record)
      const from = mark?.offset ?? 0
      let last: UsageBatch | undefined
      for (const batch of source.read(mark)) {
        // Only the last part has reached the state that the stamp stands for.
        if (last !== undefined && hasContent(last)) {
          packer.add({ assistant, path, stamp: '', batch: last })
        }
        last = batch
        mark = batch.mark
        yield packer.calls() >= MOST_CALLS ? take() : undefined
      }
      const end = mark ?? { offset: 0, memory: {} }
      bytes += Math.max(0, end.offset - from)
      packer.add({
        assistant,
        path,
        stamp,
        batch: last ?? { calls: [], totals: [], mark: end },
      })
    } catch (thrown) {
      if (!isAbsent(thrown)) problems.push(`${path}: ${reasonOf(thrown)}`)
    }
    if (packer.calls() >= MOST_CALLS || packer.files() >= MOST_FILES) yield take()
  }
  yield take()
  return problems
}

const hasContent = (batch: UsageBatch): boolean => {
  const { calls, totals, titles = [], windows = [], failures = [] } = batch
  return [calls, totals, titles, windows, failures].some(({ length }) => length > 0)
}
