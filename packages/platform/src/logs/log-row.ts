import type { JsonObject } from '@steward/contract'

/**
 * Where a reader stands after a row: `<file>:<offset>`, and after a comma the same of files that were
 * rotated a moment ago, newest first. Only digits, small letters, `.`, `:`, `,`. It stays good across
 * restarts and rotations. `start` stands before the oldest row.
 */
export type LogPosition = string

export interface LogRow {
  row: JsonObject
  position: LogPosition
}

/** Lines that are no rows, by what is wrong with them. */
export interface SkippedLines {
  /** No JSON object, or one that is nested absurdly deep. */
  foreign: number
  /** Not text: zero bytes or invalid UTF-8. */
  binary: number
  /** Above the limit of a row. */
  tooLong: number
  /** The end of a file without a line break: still being written, or never finished. */
  torn: number
}

export const noneSkipped = (): SkippedLines => ({ foreign: 0, binary: 0, tooLong: 0, torn: 0 })
