import { LIMITS } from '@steward/contract'
import { storageErrorOf } from '../storage-error.ts'
import { readLinesBackwards } from './lines-backwards.ts'
import { closeAll, openLogFiles } from './log-files.ts'
import type { LogRow } from './log-row.ts'
import { parseLine } from './parse-line.ts'

/**
 * The rows of a log from newest to oldest, including rotated files. Only one block is in memory at
 * a time, and only as much as needed is read. A missing log has no rows.
 */
export async function* readRowsBackwards(
  path: string,
  maxLineBytes: number = LIMITS.eventLineBytes,
): AsyncGenerator<LogRow['row'], void, undefined> {
  try {
    const files = await openLogFiles(path)
    try {
      for (const { handle, sizeBytes } of files) {
        const budgetBytes = Number.POSITIVE_INFINITY
        const lines = readLinesBackwards(handle, { sizeBytes, maxLineBytes, budgetBytes })
        for await (const { kind, bytes } of lines) {
          if (kind === 'end' || bytes === undefined) continue
          const parsed = parseLine(bytes)
          if (parsed.kind === 'row') yield parsed.row
        }
      }
    } finally {
      await closeAll(files)
    }
  } catch (thrown) {
    throw storageErrorOf(path, thrown, 'it cannot be read')
  }
}
