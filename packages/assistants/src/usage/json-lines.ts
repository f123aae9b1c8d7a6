import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { isJsonObject, type JsonObject } from '@steward/contract'
import type {
  ReaderMemory,
  UsageBatch,
  UsageCall,
  UsageFound,
  UsageSource,
} from './usage-reader.ts'

const CHUNK_BYTES = 512 * 1024
/** A longer line is skipped. Usage is in short rows; longer ones contain files and pictures. */
const MOST_LINE_BYTES = 16 * 1024 * 1024
const NEWLINE = 0x0a

/** What one assistant writes into its files. */
export interface LineFormat {
  /**
   * A line without any of these texts has nothing to count; most lines are never decoded. The search
   * is fastest if they begin with a letter that is rare.
   */
  marks: readonly string[]
  /** Reads lines of one buffer without decoding most of them, which takes a fraction of the time. */
  scan?: (bytes: Buffer, memory: ReaderMemory, path: string) => ScanLine
  /** What the lines of one buffer add besides those with a mark. */
  look?: (bytes: Buffer, memory: ReaderMemory, path: string) => UsageFound
  /** The calls in a row; what later rows need is put into `memory`. */
  read: (row: JsonObject, memory: ReaderMemory, path: string) => UsageFound
}

/**
 * The call in a line, or null if there is none; undefined if the line must be parsed. `mark` is the
 * place of the first mark in it.
 */
export type ScanLine = (start: number, mark: number, end: number) => UsageCall | null | undefined

/**
 * Reads the rows that were added to a file. A last line without its end is left for the next time,
 * a row that cannot be parsed is skipped, and a file that became shorter is read from its start.
 */
export const jsonLines = (path: string, format: LineFormat): UsageSource => ({
  path,
  read: function* (mark): Generator<UsageBatch> {
    const marks = format.marks.map((text) => Buffer.from(text))
    const file = openSync(path, 'r')
    try {
      const { size } = fstatSync(file)
      const isShorter = mark !== undefined && size < mark.offset
      let offset = mark === undefined || isShorter ? 0 : mark.offset
      const memory: ReaderMemory = mark === undefined || isShorter ? {} : { ...mark.memory }
      let buffer = spare ?? Buffer.allocUnsafeSlow(CHUNK_BYTES)
      spare = undefined
      let kept = 0
      let isSkipping = false
      for (let position = offset; position < size; ) {
        if (kept === buffer.length) buffer = enlarge(buffer)
        const bytesRead = readSync(file, buffer, kept, buffer.length - kept, position)
        if (bytesRead === 0) break
        position += bytesRead
        const bytes = buffer.subarray(0, kept + bytesRead)
        const end = bytes.lastIndexOf(NEWLINE)
        if (end === -1) {
          isSkipping ||= bytes.length > MOST_LINE_BYTES
          kept = isSkipping ? 0 : bytes.length
          continue
        }
        const start = isSkipping ? bytes.indexOf(NEWLINE) + 1 : 0
        isSkipping = false
        const found = nothingFound()
        const lines = bytes.subarray(start, end + 1)
        if (format.look !== undefined) addTo(found, format.look(lines, memory, path))
        const scan = format.scan?.(lines, memory, path)
        eachLineWith(marks, lines, (from, mark, to) => {
          const call = scan?.(from, mark, to)
          if (call === null) return
          if (call !== undefined) return addCall(found, call)
          const row = parseRow(lines.toString('utf8', from, to))
          if (row !== undefined) addTo(found, format.read(row, memory, path))
        })
        kept = bytes.length - end - 1
        buffer.copyWithin(0, end + 1, bytes.length)
        offset = position - kept
        // It goes on changing while the next part is read.
        yield { ...found, mark: { offset, memory: { ...memory } } }
      }
      if (buffer.length === CHUNK_BYTES) spare = buffer
    } finally {
      closeSync(file)
    }
  },
})

const nothingFound = (): Required<UsageFound> => ({
  calls: [],
  totals: [],
  titles: [],
  windows: [],
  failures: [],
})

const addTo = (found: Required<UsageFound>, row: UsageFound): void => {
  const { calls, totals, titles, windows, failures } = row
  for (const call of calls ?? []) addCall(found, call)
  if (totals !== undefined) found.totals.push(...totals)
  if (titles !== undefined) found.titles.push(...titles)
  if (windows !== undefined) found.windows.push(...windows)
  if (failures !== undefined) found.failures.push(...failures)
}

const addCall = ({ calls }: Required<UsageFound>, call: UsageCall): void => {
  const last = calls[calls.length - 1]
  // Rows of one message follow each other.
  if (last?.id === call.id && last.tokens.output >= call.tokens.output) return
  calls.push(call)
}

/** Thousands of small files share one buffer. */
let spare: Buffer | undefined

const enlarge = (buffer: Buffer): Buffer => {
  const larger = Buffer.allocUnsafe(buffer.length * 2)
  buffer.copy(larger)
  return larger
}

/** Finds the lines in the bytes: decoding and splitting everything takes most of the time. */
const eachLineWith = (
  marks: readonly Buffer[],
  bytes: Buffer,
  onLine: (...line: Parameters<ScanLine>) => void,
): void => {
  const next = marks.map((mark) => bytes.indexOf(mark))
  for (let from = 0; from < bytes.length; ) {
    let first = -1
    for (let index = 0; index < next.length; index++) {
      let at = next[index] ?? -1
      if (at !== -1 && at < from) {
        at = bytes.indexOf(marks[index] ?? '', from)
        next[index] = at
      }
      if (at !== -1 && (first === -1 || at < first)) first = at
    }
    if (first === -1) return
    const end = bytes.indexOf(NEWLINE, first)
    onLine(bytes.lastIndexOf(NEWLINE, first) + 1, first, end)
    from = end + 1
  }
}

export const parseRow = (line: string): JsonObject | undefined => {
  try {
    const value: unknown = JSON.parse(line)
    return isJsonObject(value) ? value : undefined
  } catch {
    // Torn by a crash of the assistant, or not a row at all.
    return undefined
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
