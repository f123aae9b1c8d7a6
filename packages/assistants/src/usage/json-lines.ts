import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isJsonObject, type JsonObject } from '@steward/contract'
import { isAbsent } from '@steward/platform'
import type {
  ReaderMemory,
  SessionTotal,
  UsageBatch,
  UsageCall,
  UsageSource,
} from './usage-reader.ts'

const CHUNK_BYTES = 256 * 1024
/** A longer line is skipped. Usage is in short rows; longer ones contain files and pictures. */
const MOST_LINE_BYTES = 16 * 1024 * 1024
const NEWLINE = 0x0a

/** What one assistant writes into its files. */
export interface LineFormat {
  /** A quick test on the text: most lines have nothing to count and are not parsed. */
  mayCount: (line: string) => boolean
  /** The calls in a row; what later rows need is put into `memory`. */
  read: (
    row: JsonObject,
    memory: ReaderMemory,
    path: string,
  ) => { calls?: UsageCall[]; totals?: SessionTotal[] }
}

/**
 * Reads the rows that were added to a file. A last line without its end is left for the next time,
 * a row that cannot be parsed is skipped, and a file that became shorter is read from its start.
 */
export const jsonLines = (path: string, format: LineFormat): UsageSource => ({
  path,
  read: async function* (mark): AsyncGenerator<UsageBatch> {
    const file = await open(path, 'r')
    try {
      const { size } = await file.stat()
      const isShorter = mark !== undefined && size < mark.offset
      let offset = mark === undefined || isShorter ? 0 : mark.offset
      const memory: ReaderMemory = mark === undefined || isShorter ? {} : { ...mark.memory }
      let rest = Buffer.alloc(0)
      let isSkipping = false
      for (let position = offset; position < size; ) {
        const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size - position))
        const { bytesRead } = await file.read(chunk, 0, chunk.length, position)
        if (bytesRead === 0) break
        position += bytesRead
        const bytes = Buffer.concat([rest, chunk.subarray(0, bytesRead)])
        const end = bytes.lastIndexOf(NEWLINE)
        if (end === -1) {
          isSkipping ||= bytes.length > MOST_LINE_BYTES
          rest = isSkipping ? Buffer.alloc(0) : bytes
          continue
        }
        const start = isSkipping ? bytes.indexOf(NEWLINE) + 1 : 0
        isSkipping = false
        const calls: UsageCall[] = []
        const totals: SessionTotal[] = []
        for (const line of bytes.toString('utf8', start, end).split('\n')) {
          if (!format.mayCount(line)) continue
          const row = parseRow(line)
          const found = row && format.read(row, memory, path)
          calls.push(...(found?.calls ?? []))
          totals.push(...(found?.totals ?? []))
        }
        rest = bytes.subarray(end + 1)
        offset = position - rest.length
        yield { calls, totals, mark: { offset, memory } }
      }
    } finally {
      await file.close()
    }
  },
})

const parseRow = (line: string): JsonObject | undefined => {
  try {
    const value: unknown = JSON.parse(line)
    return isJsonObject(value) ? value : undefined
  } catch {
    // Torn by a crash of the assistant, or not a row at all.
    return undefined
  }
}

/** The files with these endings in a folder and the folders in it; symbolic links are followed. */
export const listFiles = async (folder: string, ending: string): Promise<string[]> => {
  try {
    const names = await readdir(folder, { recursive: true })
    return names.filter((name) => name.endsWith(ending)).map((name) => join(folder, name))
  } catch (thrown) {
    if (isAbsent(thrown)) return []
    throw thrown
  }
}

/** Members of foreign rows: of the expected type, or nothing. */
export const textIn = (row: JsonObject | undefined, key: string): string | undefined => {
  const value = row?.[key]
  return typeof value === 'string' && value !== '' ? value : undefined
}
export const countIn = (row: JsonObject | undefined, key: string): number => {
  const value = row?.[key]
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0
}
export const objectIn = (row: JsonObject | undefined, key: string): JsonObject | undefined => {
  const value = row?.[key]
  return isJsonObject(value) ? value : undefined
}
export const timeIn = (row: JsonObject, key: string): number => {
  const value = row[key]
  const ms = typeof value === 'number' ? value : Date.parse(String(value))
  return Number.isFinite(ms) ? ms : 0
}
