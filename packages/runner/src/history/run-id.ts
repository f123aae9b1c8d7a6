import { randomUUID } from 'node:crypto'

let lastMs = 0
let sequence = 0

/**
 * A new run id: a UUID version 7, so that ids sort by creation time, even those of one process
 * within a millisecond.
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
  // The rest of a version 4 id is random and has its variant bits in the position that version 7
  // requires.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${ordinal}${randomUUID().slice(18)}`
}
