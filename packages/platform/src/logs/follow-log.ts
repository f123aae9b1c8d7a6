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
  /** After this position; `start` is before the oldest row there is, `end` after the last one. */
  from: LogPosition | 'start' | 'end'
  maxLineBytes?: number
  /** How much one `read` takes at most. */
  maxReadBytes?: number
  /** A clock in milliseconds that never goes back. */
  now?: () => number
}

export interface LogRead {
  /** Each writer's rows in the order in which they were written. */
  rows: LogRow[]
  skipped: SkippedLines
  /**
   * Rows may be missing: the position is of a file that is gone (reading goes on with the oldest row
   * left) or is none at all (with the next one), or a file was removed or emptied unread.
   */
  gap: boolean
  /** More is there already: read again. */
  more: boolean
  /** Where a follower goes on after this read. */
  position: LogPosition
}

/** Reads what is new in a log since the last time, across rotation, truncation and replacement. */
export interface LogFollower {
  /** Calls take turns. Throws `storage_failed`, but hands over first what was found before the fault. */
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
      // With rows at hand they go out now; the next read meets the same fault without any.
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
      // Whoever asked for the last read has its outcome; here it only has to be over.
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

/** The other files' part of a position, newest first, around the one of `file`. */
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
