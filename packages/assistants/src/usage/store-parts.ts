import type { UsageOrigin } from '@steward/contract'
import { COLUMNS } from './pack-calls.ts'
import type { ReadPart } from './read-records.ts'
import type { UsageLedger } from './usage-ledger.ts'
import type { FailedCommand } from './usage-reader.ts'

interface StorePorts {
  ledger: UsageLedger
  /** How many calls and files are stored in one transaction. */
  mostCalls: number
  mostFiles: number
  /** Stores how many of so many files were read, so that other processes can show it. */
  total?: number
  onFailures?: (assistant: UsageOrigin, failures: readonly FailedCommand[]) => void
}

export interface PartStore {
  take: (part: ReadPart) => void
  /** Stores what was taken last. */
  flush: () => void
}

/** Stores parts, several at once. */
export const createPartStore = (ports: StorePorts): PartStore => {
  const { ledger, mostCalls, mostFiles, total, onFailures } = ports
  let parts: ReadPart[] = []
  let calls = 0
  let files = 0
  let done = 0
  let bytes = 0
  const flush = (): void => {
    if (parts.length === 0) return
    const packed = parts.map((part) => part.packed)
    ledger.addPacked(packed, total === undefined ? undefined : { done, total, bytes })
    // Thousands of such arrays would wait for the next collection of garbage.
    for (const { numbers } of packed) numbers.buffer.transfer(0)
    parts = []
    calls = 0
    files = 0
    for (const { failures } of packed) {
      for (const { assistant, failed } of failures) onFailures?.(assistant, failed)
    }
  }
  return {
    flush,
    take: (part) => {
      const { packed } = part
      parts.push(part)
      calls += packed.numbers.length / COLUMNS
      files += packed.files.length
      done += packed.files.filter(({ stamp }) => stamp !== '').length
      bytes += part.bytes
      if (calls >= mostCalls || files >= mostFiles) flush()
    },
  }
}
