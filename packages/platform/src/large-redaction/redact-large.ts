import { type JsonObject, LIMITS } from '@steward/contract'
import type { Redactor } from '../redaction/redactor.ts'
import { createReaderThreads, type ReaderThreadsOptions } from '../threads/reader-threads.ts'
import type { SentRecords } from './redact-records.ts'
import { REDACTION_MODULE } from './redaction-module.ts'

/** Masks records as `redactFields` does, those that are large together where they delay nothing. */
export type RedactRecords = (
  records: readonly JsonObject[],
  redactor: Redactor,
) => Promise<JsonObject[]>

/** So much is masked in two or three milliseconds, sooner than a thread takes to start. */
const SMALL_CHARS = 16 * 1024

/** A record that takes too long is refused rather than shown with its secrets. */
export const createLargeRedaction = (
  options: Partial<Pick<ReaderThreadsOptions, 'limitMs' | 'startTimer'>> = {},
): RedactRecords => {
  const threads = createReaderThreads<SentRecords, JsonObject[]>({
    module: REDACTION_MODULE,
    limitMs: LIMITS.redactionMs,
    heapBytes: LIMITS.redactionHeapBytes,
    ...options,
  })
  return (records, redactor) =>
    isSmall(records)
      ? redactHere(records, redactor)
      : threads.read({ source: redactor.source, records }, 'a record to be masked')
}

/** In this thread, whatever the size: for programs that serve no requests. */
export const redactHere: RedactRecords = async (records, { redactFields }) =>
  records.map((record) => redactFields(record).value)

let shared: RedactRecords | undefined

/** One for the process: idle threads end. */
export const redactLarge: RedactRecords = (records, redactor) => {
  shared ??= createLargeRedaction()
  return shared(records, redactor)
}

/** Stops counting as soon as it is clear. */
const isSmall = (records: readonly JsonObject[]): boolean => {
  let left = SMALL_CHARS
  const waiting: unknown[] = [...records]
  while (waiting.length > 0 && left > 0) {
    const value = waiting.pop()
    left -= typeof value === 'string' ? value.length + COST_OF_VALUE : COST_OF_VALUE
    if (Array.isArray(value)) {
      if (value.length * COST_OF_VALUE > left) return false
      waiting.push(...value)
    } else if (typeof value === 'object' && value !== null) {
      const members = Object.entries(value)
      if (members.length * COST_OF_VALUE > left) return false
      for (const [key, member] of members) {
        left -= key.length
        waiting.push(member)
      }
    }
  }
  return left > 0
}

const COST_OF_VALUE = 8
