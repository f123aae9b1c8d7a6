import { randomUUID } from 'node:crypto'

let lastMs = 0
let sequence = 0

/**
 * A new run's id: a UUID of version 7, so that ids sort by the time they were made, also those of
 * one millisecond made by one process.
 */
export const newRunId = (nowMs: number): string => {
  if (nowMs > lastMs) {
    lastMs = nowMs
    sequence = 0
  } else if (++sequence > 0xfff) {
    lastMs++
    sequence = 0
  }
  const time = Math.trunc(lastMs).toString(16).padStart(12, '0')
  const ordinal = sequence.toString(16).padStart(3, '0')
  // The rest of a version 4 id is random and has its variant bits where version 7 wants them.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${ordinal}${randomUUID().slice(18)}`
}
