import type { JsonObject } from '@steward/contract'

/**
 * A reader's position after a row: `<file>:<offset>`, followed by commas and the positions in
 * recently rotated files, newest first. Only digits, lower-case letters, `.`, `:`, `,`. Valid
 * across restarts and rotations. `start` is before the oldest row.
 */
export type LogPosition = string

export interface LogRow {
  row: JsonObject
  position: LogPosition
}

/** Counts of lines that are not rows, by reason. */
export interface SkippedLines {
  /** Not a JSON object, or nested too deeply. */
  foreign: number
  /** Not text: zero bytes or invalid UTF-8. */
  binary: number
  /** Longer than the limit of a row. */
  tooLong: number
  /** The end of a file without a line break: still being written, or never finished. */
  torn: number
}

export const noneSkipped = (): SkippedLines => ({ foreign: 0, binary: 0, tooLong: 0, torn: 0 })
