import { LIMITS } from '@steward/contract'
import { storageErrorOf } from '../storage-error.ts'
import { readLinesBackwards } from './lines-backwards.ts'
import { closeAll, inodeOf, type LogFile, openLogFiles } from './log-files.ts'
import { type FileMark, formatPosition } from './log-position.ts'
import { type LogPosition, type LogRow, noneSkipped, type SkippedLines } from './log-row.ts'
import { parseLine } from './parse-line.ts'

export interface TailOptions {
  /** The maximum number of rows. */
  rows: number
  maxLineBytes?: number
}

export interface LogTail {
  /** Oldest first. */
  rows: LogRow[]
  /** Lines on the way that are not rows. */
  skipped: SkippedLines
  /**
   * The end of the log at the time of reading: a follower from here gets each later row and none of
   * these.
   */
  position: LogPosition
}

/**
 * The last rows of a log, read backward from its end and into rotated files as needed. The cost
 * does not depend on the log's size. A missing log has no rows.
 */
export const readTail = async (
  path: string,
  { rows: wanted, maxLineBytes = LIMITS.eventLineBytes }: TailOptions,
): Promise<LogTail> => {
  try {
    return (
      (await readNewest(path, wanted, maxLineBytes)) ?? (await readAll(path, wanted, maxLineBytes))
    )
  } catch (thrown) {
    throw storageErrorOf(path, thrown, 'it cannot be read')
  }
}

/** The common case, two files; undefined if that is not enough or a rotation just happened. */
const readNewest = async (
  path: string,
  wanted: number,
  maxLineBytes: number,
): Promise<LogTail | undefined> => {
  const files = await openLogFiles(path, (_, count) => count === MARKED_FILES)
  try {
    const isCurrent = (await inodeOf(path)) === files.find(({ current }) => current)?.inode
    if (!isCurrent) return undefined
    const tail = createTail(wanted, maxLineBytes)
    for (const file of files) await tail.readFile(file)
    return files.length < MARKED_FILES || tail.isComplete() ? tail.result() : undefined
  } finally {
    await closeAll(files)
  }
}

const readAll = async (path: string, wanted: number, maxLineBytes: number): Promise<LogTail> => {
  const files = await openLogFiles(path)
  try {
    const tail = createTail(wanted, maxLineBytes)
    for (const [index, file] of files.entries()) {
      if (index < MARKED_FILES || !tail.isComplete()) await tail.readFile(file)
    }
    return tail.result()
  } finally {
    await closeAll(files)
  }
}

/**
 * A rotated file may get a last row from a writer that opened it earlier, so the newest one is
 * marked too.
 */
const MARKED_FILES = 2

const createTail = (wanted: number, maxLineBytes: number) => {
  const found: Array<{ row: LogRow['row']; mark: FileMark; fileNumber: number }> = []
  const skipped = noneSkipped()
  const ends: FileMark[] = []
  let files = 0
  // Enough for as many of the longest rows; a file of garbage is not read further.
  let budgetBytes = (wanted + 1) * maxLineBytes

  const readFile = async (file: LogFile): Promise<void> => {
    const { handle, inode, fingerprint, sizeBytes } = file
    const fileNumber = files++
    const lines = readLinesBackwards(handle, {
      sizeBytes,
      maxLineBytes,
      budgetBytes: Math.max(budgetBytes, maxLineBytes),
    })
    let reachedTo = sizeBytes
    for await (const { kind, bytes, end } of lines) {
      const mark = { inode, fingerprint, offset: end }
      reachedTo = end
      if (kind === 'end') {
        if (fileNumber < MARKED_FILES) ends.push(mark)
        if (bytes === undefined || bytes.length > 0) skipped.torn++
      } else if (bytes === undefined) {
        skipped.tooLong++
      } else {
        const parsed = parseLine(bytes)
        if (parsed.kind === 'row') found.push({ row: parsed.row, mark, fileNumber })
        else if (parsed.kind !== 'blank') skipped[parsed.kind]++
      }
      if (found.length >= wanted) break
    }
    budgetBytes -= sizeBytes - reachedTo
  }

  return {
    readFile,
    isComplete: () => found.length >= wanted || budgetBytes <= 0,
    result: (): LogTail => ({
      rows: found
        .map(({ row, mark, fileNumber }) => ({
          row,
          position: formatPosition([mark, ...ends.slice(fileNumber + 1)]),
        }))
        .reverse(),
      skipped,
      position: formatPosition(ends),
    }),
  }
}
