import {
  type EventSource,
  type JsonObject,
  LIMITS,
  reasonOf,
  type StewardEvent,
} from '@steward/contract'
import {
  createLogFollower,
  LOG_START,
  type LogFollower,
  type LogPosition,
  type LogRow,
  noneSkipped,
  normaliseEvent,
  type Redactor,
  readTail,
  type SkippedLines,
} from '@steward/platform'

/** A row of a source and the reader's position after it. */
export interface ArrivedEvent {
  event: StewardEvent
  position: LogPosition
}

/** A source's entry in `/health`. */
export interface SourceHealth {
  /** Rows since the daemon started, without those present at start. */
  rows: number
  lastEventAt: string | null
  /** Lines skipped since the start. */
  skipped: SkippedLines
  /**
   * How often rows may have been missed because a log was removed or truncated before it was read.
   */
  gaps: number
  lastError: string | null
}

/** Reads one source incrementally; the cost does not depend on the size of its log. */
export interface SourceReader {
  source: EventSource
  path: string
  /** New rows since the last read; `more` means that another read will return rows immediately. */
  read: () => Promise<{ arrived: ArrivedEvent[]; more: boolean }>
  /** The newest rows, newest first. */
  newest: (count: number) => StewardEvent[]
  /** The position after the last row read. */
  position: () => LogPosition
  health: () => SourceHealth
  close: () => Promise<void>
}

/** The most rows that any answer needs. */
const KEPT_ROWS = LIMITS.mergedEvents

export interface SourceReaderPorts {
  source: EventSource
  path: string
  redactor: () => Pick<Redactor, 'redactFields'>
}

export const createSourceReader = ({ source, path, redactor }: SourceReaderPorts): SourceReader => {
  /** Oldest first. */
  let kept: StewardEvent[] = []
  let follower: LogFollower | undefined
  let position: LogPosition = LOG_START
  let rows = 0
  let gaps = 0
  let lastError: string | null = null
  const skipped = noneSkipped()

  const toEvent = (row: JsonObject): StewardEvent =>
    normaliseEvent(source, redactor().redactFields(row).value)

  const keep = (events: readonly StewardEvent[]): void => {
    kept.push(...events.slice(-KEPT_ROWS))
    if (kept.length > KEPT_ROWS * 2) kept = kept.slice(-KEPT_ROWS)
  }

  const count = (more: SkippedLines): void => {
    skipped.foreign += more.foreign
    skipped.binary += more.binary
    skipped.tooLong += more.tooLong
    skipped.torn += more.torn
  }

  /** Loads the end of the log and follows it from there. */
  const fill = async (): Promise<LogFollower> => {
    const tail = await readTail(path, { rows: KEPT_ROWS })
    kept = tail.rows.map(({ row }) => toEvent(row))
    count(tail.skipped)
    position = tail.position
    return createLogFollower({ path, from: tail.position })
  }

  const readNew = async () => {
    follower ??= await fill()
    const read = await follower.read()
    const arrived = read.rows.map(({ row, position: after }: LogRow) => ({
      event: toEvent(row),
      position: after,
    }))
    keep(arrived.map(({ event }) => event))
    count(read.skipped)
    rows += arrived.length
    if (read.gap) gaps += 1
    position = read.position
    return { arrived, more: read.more }
  }

  return {
    source,
    path,
    read: async () => {
      try {
        const read = await readNew()
        lastError = null
        return read
      } catch (thrown) {
        lastError = reasonOf(thrown)
        throw thrown
      }
    },
    newest: (wanted) => kept.slice(-wanted).reverse(),
    position: () => position,
    health: () => ({
      rows,
      lastEventAt: kept.at(-1)?.timestamp ?? null,
      skipped: { ...skipped },
      gaps,
      lastError,
    }),
    close: async () => {
      await follower?.close()
    },
  }
}
