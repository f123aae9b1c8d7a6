import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { EVENT_SOURCE_NAMES, type EventSource, reasonOf } from '@steward/contract'
import {
  coalesce,
  eventLogPath,
  type Home,
  instantOf,
  isAbsent,
  normaliseEvent,
  type ScannedRows,
  scanLog,
} from '@steward/platform'
import type { FoundRow } from './apply-rows.ts'
import type { HistoryPorts } from './ports.ts'
import { openSessionIndex, type SessionIndex } from './session-index.ts'

export interface IndexFiller {
  /** Reads what was appended to the logs since. Never rejects. */
  fill: () => Promise<void>
  /** True until the logs were read once. */
  isFirst: () => boolean
  fault: () => string | undefined
  stop: () => Promise<void>
}

type FillerPorts = Pick<HistoryPorts, 'home' | 'log' | 'readHistory'> &
  Partial<Pick<HistoryPorts, 'usage'>>

/** Logs above this size are read for the first time in a process of their own. */
const LARGE_BYTES = 16 * 1024 * 1024

/** Rows of the logs go into the index a chunk at a time, with room for requests between two. */
export const createIndexFiller = (
  index: SessionIndex,
  { home, log, readHistory, usage }: FillerPorts,
): IndexFiller => {
  const stopping = new AbortController()
  let isFirst = true
  let fault: string | undefined

  const fillSource = async (source: EventSource): Promise<void> => {
    const path = eventLogPath(home, source)
    for await (const { file, rows, from, offset } of scanLog(path, (each) =>
      index.readTo(source, each),
    )) {
      if (stopping.signal.aborted) return
      const found = rows.flatMap((row) => toRow(source, row))
      index.add(source, file, { from, to: offset }, found)
      await new Promise<void>((resolve) => setImmediate(resolve))
    }
  }

  /** Sessions of a time when Steward was not connected are only in the assistants' own records. */
  const fillRecorded = async (): Promise<void> => {
    while (usage !== undefined && !stopping.signal.aborted) {
      const since = index.recordedTo()
      const changes = await usage.changes(since)
      if (stopping.signal.aborted) return
      const { sessions, next } = changes
      const isRead = next.context === since.context && next.quarter === since.quarter
      if (!isRead || sessions.length > 0) index.addRecorded(changes)
      if (changes.isAll) return
      await new Promise<void>((resolve) => setImmediate(resolve))
    }
  }

  const readHistoryElsewhere = async (): Promise<void> => {
    if (readHistory === undefined || !index.isEmpty() || logBytes(home) < LARGE_BYTES) return
    try {
      await readHistory(stopping.signal)
    } catch (thrown) {
      if (!stopping.signal.aborted) log.warn(`sessions are read here: ${reasonOf(thrown)}`)
    }
  }

  const fill = coalesce(async () => {
    try {
      if (isFirst) await readHistoryElsewhere()
      for (const source of EVENT_SOURCE_NAMES) await fillSource(source)
      await fillRecorded()
      isFirst = false
      fault = undefined
    } catch (thrown) {
      const reason = `sessions are not listed completely: ${reasonOf(thrown)}`
      if (fault !== reason) log.error(reason)
      fault = reason
    }
  })

  return {
    fill,
    isFirst: () => isFirst,
    fault: () => fault,
    stop: async () => {
      stopping.abort()
      await fill()
    },
  }
}

/** `steward sessions index`: reads the logs into the index, in this process. */
export const indexSessions = async (home: Home): Promise<void> => {
  const index = openSessionIndex(indexPath(home))
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const filler = createIndexFiller(index, { home, log })
  await filler.fill()
  await index.close()
  const fault = filler.fault()
  if (fault !== undefined) throw new Error(fault)
}

export const indexPath = (home: Pick<Home, 'databases'>): string =>
  join(home.databases, 'sessions.sqlite')

const toRow = (source: EventSource, scanned: ScannedRows['rows'][number]): FoundRow[] => {
  const { row, start, end } = scanned
  if (typeof row.session_id !== 'string' || row.session_id === '') return []
  const event = normaliseEvent(source, row)
  const atMs = instantOf(event.timestamp)
  return atMs === undefined ? [] : [{ event, atMs, start, end }]
}

/** With rotated files. */
const logBytes = (home: Home): number => {
  let bytes = 0
  for (const path of EVENT_SOURCE_NAMES.map((source) => eventLogPath(home, source))) {
    for (const name of namesIn(dirname(path))) {
      if (!name.startsWith(basename(path))) continue
      bytes += statSync(join(dirname(path), name), { throwIfNoEntry: false })?.size ?? 0
    }
  }
  return bytes
}

const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder)
  } catch (thrown) {
    if (isAbsent(thrown)) return []
    throw thrown
  }
}
