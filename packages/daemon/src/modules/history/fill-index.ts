import { EVENT_SOURCE_NAMES, type EventSource, reasonOf } from '@steward/contract'
import {
  coalesce,
  eventLogPath,
  instantOf,
  normaliseEvent,
  type ScannedRows,
  scanLog,
} from '@steward/platform'
import type { HistoryPorts } from './ports.ts'
import type { FoundRow, SessionIndex } from './session-index.ts'

export interface IndexFiller {
  /** Reads what was appended to the logs since. Never rejects. */
  fill: () => Promise<void>
  /** True until the logs were read once. */
  isFirst: () => boolean
  fault: () => string | undefined
  stop: () => Promise<void>
}

/** Rows of the logs go into the index a chunk at a time, with room for requests between two. */
export const createIndexFiller = (
  index: SessionIndex,
  { home, log, redactor }: Pick<HistoryPorts, 'home' | 'log' | 'redactor'>,
): IndexFiller => {
  let isFirst = true
  let isStopped = false
  let fault: string | undefined

  const toRow = (source: EventSource, scanned: ScannedRows['rows'][number]): FoundRow[] => {
    const { row, start, end } = scanned
    if (typeof row.session_id !== 'string' || row.session_id === '') return []
    const event = normaliseEvent(source, redactor().redactFields(row).value)
    const atMs = instantOf(event.timestamp)
    return atMs === undefined ? [] : [{ event, atMs, start, end }]
  }

  const fillSource = async (source: EventSource): Promise<void> => {
    const path = eventLogPath(home, source)
    for await (const { file, rows, offset } of scanLog(path, (each) =>
      index.readTo(source, each),
    )) {
      if (isStopped) return
      index.add(
        source,
        file,
        offset,
        rows.flatMap((row) => toRow(source, row)),
      )
      await new Promise<void>((resolve) => setImmediate(resolve))
    }
  }

  const fill = coalesce(async () => {
    try {
      for (const source of EVENT_SOURCE_NAMES) await fillSource(source)
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
      isStopped = true
      await fill()
    },
  }
}
