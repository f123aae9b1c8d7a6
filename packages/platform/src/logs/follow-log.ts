import { LIMITS } from '@steward/contract'
import { storageErrorOf } from '../storage-error.ts'
import type { FollowedFile } from './followed-file.ts'
import { createFollowedFiles } from './followed-files.ts'
import { formatMark, formatPosition, parsePosition } from './log-position.ts'
import { type LogPosition, type LogRow, noneSkipped, type SkippedLines } from './log-row.ts'
import { parseLine } from './parse-line.ts'
import { readTail } from './read-tail.ts'

export interface LogFollowerOptions {
  path: string
  /** After this position; `start` is before the oldest row, `end` after the last one. */
  from: LogPosition | 'start' | 'end'
  maxLineBytes?: number
  /** The most bytes that one `read` takes. */
  maxReadBytes?: number
  /** A monotonic clock in milliseconds. */
  now?: () => number
}

export interface LogRead {
  /** Each writer's rows in the order in which they were written. */
  rows: LogRow[]
  skipped: SkippedLines
  /**
   * Rows may be missing: the position's file was removed (reading continues with the oldest row
   * left), the position is invalid (with the next row), or a file was removed or truncated unread.
   */
  gap: boolean
  /** More rows are available: read again. */
  more: boolean
  /** The position for resuming after this read. */
  position: LogPosition
}

/** Reads new rows of a log, across rotation, truncation and replacement. */
export interface LogFollower {
  /**
   * Calls are serialised. Throws `storage_failed`, but first returns the rows found before the
   * fault.
   */
  read: () => Promise<LogRead>
  close: () => Promise<void>
}

const READ_BYTES = 4 * 1024 * 1024
const CHUNK_BYTES = 256 * 1024

export const createLogFollower = ({
  path,
  from,
  maxLineBytes = LIMITS.eventLineBytes,
  maxReadBytes = READ_BYTES,
  now = () => performance.now(),
}: LogFollowerOptions): LogFollower => {
  const files = createFollowedFiles({ path, maxLineBytes, now })
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  let batch = emptyBatch()
  let opened = false
  let closed = false
  let turn: Promise<unknown> = Promise.resolve()

  const open = async (): Promise<void> => {
    const given = from === 'end' ? undefined : parsePosition(from)
    const marks = given ?? parsePosition((await readTail(path, { rows: 0, maxLineBytes })).position)
    const found = await files.openAt(marks ?? [])
    opened = true
    if (!found || (given === undefined && from !== 'end')) batch.gap = true
  }

  const look = async (): Promise<void> => {
    if (!(await files.noticeRotation())) batch.gap = true
    const { emptied, torn } = await files.look()
    if (emptied > 0) batch.gap = true
    batch.skipped.torn += torn
  }

  const readFile = async (file: FollowedFile, budgetBytes: number): Promise<number> => {
    const { before, after } = marksAround(files.list(), file)
    for (let left = budgetBytes; ; ) {
      const read = await file.readLines(chunk, left)
      if (read === undefined) return left
      left -= read.bytesRead
      for (const line of read.lines) {
        file.take(line)
        const parsed = line.bytes === undefined ? TOO_LONG : parseLine(line.bytes)
        if (parsed.kind === 'row') {
          const position = `${before}${formatMark(file.mark())}${after}`
          batch.rows.push({ row: parsed.row, position })
        } else if (parsed.kind !== 'blank') {
          batch.skipped[parsed.kind]++
        }
      }
    }
  }

  const readNext = async (): Promise<LogRead> => {
    let left = maxReadBytes
    try {
      if (closed) throw new Error('the follower is closed')
      if (!opened) await open()
      await look()
      for (const file of files.list()) {
        if (left > 0) left = await readFile(file, left)
      }
      if (left > 0) batch.skipped.torn += await files.dropQuiet()
    } catch (thrown) {
      // Rows already read are returned now; the next read throws the same fault.
      if (batch.rows.length === 0) throw storageErrorOf(path, thrown, 'it cannot be read')
    }
    const marks = files.list().map((file) => file.mark())
    const read = { ...batch, more: left <= 0, position: formatPosition(marks.reverse()) }
    batch = emptyBatch()
    return read
  }

  return {
    read: () => {
      const next = turn.then(readNext, readNext)
      turn = next
      return next
    },
    close: async () => {
      closed = true
      // The caller of the last read handles its outcome; here it only needs to be finished.
      await Promise.allSettled([turn])
      await files.close()
    },
  }
}

const TOO_LONG = { kind: 'tooLong' } as const

const emptyBatch = (): Pick<LogRead, 'rows' | 'skipped' | 'gap'> => ({
  rows: [],
  skipped: noneSkipped(),
  gap: false,
})

/** The marks of the other files in a position, newest first, around that of `file`. */
const marksAround = (
  files: readonly FollowedFile[],
  file: FollowedFile,
): { before: string; after: string } => {
  const index = files.indexOf(file)
  const marks = files.map((other) => formatMark(other.mark()))
  return {
    before: marks
      .slice(index + 1)
      .reverse()
      .map((mark) => `${mark},`)
      .join(''),
    after: marks
      .slice(0, index)
      .reverse()
      .map((mark) => `,${mark}`)
      .join(''),
  }
}
