import type { UsageOrigin } from '@steward/contract'
import type { PriceTable } from '@steward/models'
import { LINE_READERS } from '../line-readers.ts'
import { announcePart, type SharedTurns, shareTurns } from './import-turns.ts'
import { type ReadPart, readRecords } from './read-records.ts'
import type { UsageBatch } from './usage-reader.ts'

interface SentRecord {
  assistant: UsageOrigin
  path: string
  stamp: string
  mark: UsageBatch['mark'] | undefined
}

export interface SentImport {
  records: readonly SentRecord[]
  shared: SharedTurns
  prices: PriceTable | undefined
}

/** Runs in a thread: reads its share of the records, and returns what it could not read. */
export const read = async (
  { records, shared, prices }: SentImport,
  send: (part: ReadPart, transfer: ArrayBuffer[]) => void,
): Promise<string[]> => {
  const found = records.map(({ assistant, path, stamp, mark }) => {
    const source = LINE_READERS[assistant]?.sourceOf(path)
    if (source === undefined) throw new Error(`${path} is no record of ${assistant}`)
    return { assistant, source, stamp, mark }
  })
  const { next } = shareTurns(shared)
  const reading = readRecords(found, { next, markOf: ({ mark }) => mark, prices })
  for (;;) {
    const { value, done } = reading.next()
    if (done) return value
    if (value === undefined) continue
    announcePart(shared)
    send(value, [value.packed.numbers.buffer])
  }
}
