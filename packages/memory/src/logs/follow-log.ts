import { stat } from 'node:fs/promises'
import { LIMITS } from '@steward/contract'
import { codeOf } from '../files/code-of.ts'
import { type FollowedFile, followFile } from './followed-file.ts'
import { type LogFile, openLogFiles } from './log-files.ts'
import { type FileMark, formatMark, formatPosition, parsePosition } from './log-position.ts'
import { type LogPosition, type LogRow, noneSkipped, type SkippedLines } from './log-row.ts'
import { parseLine } from './parse-line.ts'
import { readTail } from './read-tail.ts'
import { storageFault } from './storage-fault.ts'

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
  /** In the order of the log; what a late writer put into a rotated file comes when it is seen. */
  rows: LogRow[]
  skipped: SkippedLines
  /**
   * Rows may be missing: the position is of a file that is gone (reading went on with the oldest row
   * left, or at the end when it was no position at all), or a file was removed or emptied unread.
   */
  gap: boolean
  /** More is there already: read again. */
  more: boolean
  /** Where a follower goes on after this read. */
  position: LogPosition
}

/** Reads what is new in a log since the last time, across rotation, truncation and replacement. */
export interface LogFollower {
  /** Calls take turns. Throws `storage_failed`; what was read until then comes with the next call. */
  read: () => Promise<LogRead>
  close: () => Promise<void>
}

const READ_BYTES = 4 * 1024 * 1024

/** How long a rotated file must be quiet until nobody is expected to write into it. */
const LATE_MS = 30_000
/** Rotated files that are watched for late rows at most. */
const LATE_FILES = 16

export const createLogFollower = ({
  path,
  from,
  maxLineBytes = LIMITS.eventLineBytes,
  maxReadBytes = READ_BYTES,
  now = () => performance.now(),
}: LogFollowerOptions): LogFollower => {
  /** Oldest first; all but the last are rotated by now. */
  const files: Array<{ file: FollowedFile; quietSinceMs: number }> = []
  /** Files that are not looked at any more, and how far they were read. */
  const done = new Map<string, FileMark>()
  /** How many of `files` were begun: those behind are new and wait for their turn. */
  let begun = 0
  let opened = false
  let closed = false
  let turn: Promise<unknown> = Promise.resolve()
  let batch = emptyBatch()

  const follow = async (file: LogFile, offset: number): Promise<void> => {
    const followed = await followFile(file, { maxLineBytes, offset })
    files.push({ file: followed, quietSinceMs: now() })
  }

  const openAt = async (marks: readonly FileMark[]): Promise<void> => {
    const chain = await takeAll(openLogFiles(path))
    const boundary = chain.findIndex((file) => marks.some((mark) => isSame(mark, file)))
    const [main] = marks
    const newest = boundary === -1 ? undefined : chain[boundary]
    if (main !== undefined && (newest === undefined || !isSame(main, newest))) batch.gap = true
    for (const [index, file] of [...chain.entries()].reverse()) {
      const mark = marks.find((candidate) => isSame(candidate, file))
      if (mark !== undefined) {
        await follow(file, mark.offset)
        begun = files.length
      } else if (boundary === -1 || index < boundary) {
        await follow(file, 0)
      } else {
        setDone({ ...file, offset: file.sizeBytes })
        await file.handle.close()
      }
    }
  }

  const open = async (): Promise<void> => {
    const marks = from === 'end' ? undefined : parsePosition(from)
    if (marks !== undefined) return openAt(marks)
    if (from !== 'end') batch.gap = true
    const { position } = await readTail(path, { rows: 0, maxLineBytes })
    return openAt(parsePosition(position) ?? [])
  }

  const setDone = ({ inode, fingerprint, offset }: FileMark): void => {
    done.set(`${inode}.${fingerprint}`, { inode, fingerprint, offset })
    const [oldest] = done.keys()
    if (done.size > DONE_FILES && oldest !== undefined) done.delete(oldest)
  }

  /** Looks whether the log has become another file, and takes in all that came since the last one. */
  const noticeRotation = async (): Promise<void> => {
    const newest = files.at(-1)
    const inode = await inodeOf(path)
    if (inode === undefined || inode === newest?.file.inode) return
    const fresh: LogFile[] = []
    let reached: string | undefined
    for await (const file of openLogFiles(path)) {
      const known = files.some((entry) => entry.file.inode === file.inode)
      const before = done.get(`${file.inode}.${file.fingerprint}`)
      if (!known && (before === undefined || file.current)) {
        fresh.push(file)
        continue
      }
      reached = file.inode
      await file.handle.close()
      if (!file.current) break
    }
    if (newest !== undefined && reached !== newest.file.inode) batch.gap = true
    for (const file of fresh.reverse()) {
      const before = done.get(`${file.inode}.${file.fingerprint}`)
      await follow(file, before?.offset ?? 0)
    }
  }

  const readFile = async (index: number, budgetBytes: number): Promise<number> => {
    const entry = files[index]
    if (entry === undefined) return budgetBytes
    const { file } = entry
    const wasTorn = file.isTorn()
    const { changed, emptied } = await file.refresh()
    if (changed) entry.quietSinceMs = now()
    if (emptied) {
      batch.gap = true
      if (wasTorn) batch.skipped.torn++
    }
    let left = budgetBytes
    while (left > 0) {
      const read = await file.readLines(left)
      if (read === undefined) return left
      left -= read.bytesRead
      const { before, after } = surroundings(index)
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
    return left
  }

  /** The marks of the other files in a position, newest first, around the one of `index`. */
  const surroundings = (index: number): { before: string; after: string } => {
    const marks = files.slice(0, begun).map(({ file }) => formatMark(file.mark()))
    const newer = marks.slice(index + 1).reverse()
    const older = marks.slice(0, index).reverse()
    return {
      before: newer.map((mark) => `${mark},`).join(''),
      after: older.map((mark) => `,${mark}`).join(''),
    }
  }

  const position = (): LogPosition =>
    formatPosition(
      files
        .slice(0, begun)
        .map(({ file }) => file.mark())
        .reverse(),
    )

  /** Lets go of rotated files into which nobody writes any more. */
  const dropQuiet = async (): Promise<void> => {
    while (begun > 1) {
      const [oldest] = files
      if (oldest === undefined) return
      if (begun <= LATE_FILES && now() - oldest.quietSinceMs < LATE_MS) return
      files.shift()
      begun--
      if (oldest.file.isTorn()) batch.skipped.torn++
      setDone(oldest.file.mark())
      await oldest.file.close()
    }
  }

  const readNext = async (): Promise<LogRead> => {
    let left = maxReadBytes
    try {
      if (closed) throw new Error('the follower is closed')
      if (!opened) await open()
      opened = true
      await noticeRotation()
      for (let index = 0; index < files.length && left > 0; index++) {
        begun = Math.max(begun, index + 1)
        left = await readFile(index, left)
      }
      if (left > 0) await dropQuiet()
    } catch (thrown) {
      if (batch.rows.length === 0) throw storageFault(path, 'it cannot be read', thrown)
    }
    const read = { ...batch, more: left <= 0, position: position() }
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
      await turn.catch(() => undefined)
      await Promise.all(files.splice(0).map(({ file }) => file.close()))
    },
  }
}

const DONE_FILES = 64
const TOO_LONG = { kind: 'tooLong' } as const

const emptyBatch = (): Pick<LogRead, 'rows' | 'skipped' | 'gap'> => ({
  rows: [],
  skipped: noneSkipped(),
  gap: false,
})

/** A file that was empty when it was marked had no fingerprint yet. */
const isSame = (mark: FileMark, file: LogFile): boolean =>
  mark.inode === file.inode && (mark.fingerprint === '' || mark.fingerprint === file.fingerprint)

const inodeOf = async (path: string): Promise<string | undefined> => {
  try {
    return (await stat(path, { bigint: true })).ino.toString()
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return undefined
    throw thrown
  }
}

const takeAll = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
