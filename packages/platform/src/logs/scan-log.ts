import type { JsonObject } from '@steward/contract'
import { LIMITS } from '@steward/contract'
import { storageErrorOf } from '../storage-error.ts'
import { createLineSplitter } from './line-splitter.ts'
import { closeAll, type LogFile, openLogFiles } from './log-files.ts'
import { parseLine } from './parse-line.ts'

/** A file of a log, whatever its number is after a rotation. */
export interface LogFileId {
  inode: string
  fingerprint: string
}

/** Where a row is. */
export interface LogPlace extends LogFileId {
  start: number
  /** After its line break. */
  end: number
}

export interface ScannedRows {
  file: LogFileId
  rows: Array<{ row: JsonObject; start: number; end: number }>
  /** Where this chunk begins. */
  from: number
  /** Read up to here, so that a later scan continues. */
  offset: number
}

/** One chunk takes a few milliseconds; other work can run between two. */
const CHUNK_BYTES = 64 * 1024

/**
 * The rows of a log that were not read before, oldest file first, in chunks. `readTo` is the offset
 * up to which a file is known. Holds one chunk in memory. A missing log has no rows.
 */
export async function* scanLog(
  path: string,
  readTo: (file: LogFileId) => number,
  maxLineBytes: number = LIMITS.eventLineBytes,
): AsyncGenerator<ScannedRows, void, undefined> {
  try {
    const files = await openLogFiles(path)
    try {
      for (const file of files.toReversed()) {
        // Without a complete first line it cannot be recognised later.
        if (file.fingerprint !== '') yield* scanFile(file, readTo(file), maxLineBytes)
      }
    } finally {
      await closeAll(files)
    }
  } catch (thrown) {
    throw storageErrorOf(path, thrown, 'it cannot be read')
  }
}

async function* scanFile(
  { handle, inode, fingerprint, sizeBytes }: LogFile,
  known: number,
  maxLineBytes: number,
): AsyncGenerator<ScannedRows, void, undefined> {
  const file = { inode, fingerprint }
  let offset = known > sizeBytes ? 0 : known
  let start = offset
  const splitter = createLineSplitter({ maxLineBytes, offset })
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  while (offset < sizeBytes) {
    const wanted = Math.min(CHUNK_BYTES, sizeBytes - offset)
    const { bytesRead } = await handle.read(chunk, 0, wanted, offset)
    if (bytesRead === 0) return
    offset += bytesRead
    const rows: ScannedRows['rows'] = []
    const from = start
    for (const { bytes, end } of splitter.push(chunk.subarray(0, bytesRead))) {
      const parsed = bytes === undefined ? undefined : parseLine(bytes)
      if (parsed?.kind === 'row') rows.push({ row: parsed.row, start, end })
      start = end
    }
    yield { file, rows, from, offset: start }
  }
}
