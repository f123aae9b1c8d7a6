import { dirname, join } from 'node:path'
import { EVENT_SOURCE_NAMES, EVENT_SOURCES, type EventSource, reasonOf } from '@steward/contract'
import { coalesce, type Redactor, type StartTimer, type WatchFolder } from '@steward/platform'
import type { Log } from '../../../log/log.ts'
import { type ArrivedEvent, createSourceReader, type SourceReader } from './source-reader.ts'

export interface CollectorPorts {
  root: string
  redactor: () => Pick<Redactor, 'redactFields'>
  setTimer: StartTimer
  watchFolder: WatchFolder
  log: Log
  /** Called in the order of each source. */
  onArrived: (source: EventSource, arrived: readonly ArrivedEvent[]) => void
}

export interface Collector {
  start: () => Promise<void>
  /** Everything that is on disk by now has arrived when this is done. */
  catchUp: () => Promise<void>
  readers: ReadonlyMap<EventSource, SourceReader>
  /** False when changes are only seen by looking. */
  isWatching: () => boolean
  stop: () => Promise<void>
}

/** The safety net under the watcher, and how often to look when there is none. */
const POLL_MS = 1000
const POLL_UNWATCHED_MS = 200
/** Between two reads of a log that is being written to: many rows are then read as one batch. */
const REST_MS = 20

/** Follows the four sources: woken by the file system, with a slow look beside it. */
export const createCollector = (ports: CollectorPorts): Collector => {
  const readers = new Map(
    EVENT_SOURCE_NAMES.map((source) => {
      const path = join(ports.root, EVENT_SOURCES[source].file)
      return [source, createSourceReader({ source, path, redactor: ports.redactor })] as const
    }),
  )
  const turns = [...readers.values()].map((reader) => createTurns(reader, ports))
  const folders = new Set([...readers.values()].map(({ path }) => dirname(path)))
  const watched = new Map<string, () => void>()
  let stopPoll: (() => void) | undefined
  let stopped = false

  const watchAll = (): void => {
    for (const folder of folders) {
      if (watched.has(folder)) continue
      const unwatch = ports.watchFolder(folder, {
        onChange: (name) => {
          for (const turn of turns) if (turn.concerns(folder, name)) turn.wake()
        },
        onEnd: () => watched.delete(folder),
      })
      if (unwatch !== undefined) watched.set(folder, unwatch)
    }
  }
  const isWatching = () => watched.size === folders.size
  const pollLater = (): void => {
    stopPoll = ports.setTimer(isWatching() ? POLL_MS : POLL_UNWATCHED_MS, () => {
      if (stopped) return
      watchAll()
      for (const turn of turns) turn.wake()
      pollLater()
    })
  }

  return {
    readers,
    isWatching,
    start: async () => {
      // Watching begins first: what is appended in between wakes a reader that then finds it.
      watchAll()
      await Promise.all(turns.map((turn) => turn.catchUp()))
      pollLater()
    },
    catchUp: async () => {
      await Promise.all(turns.map((turn) => turn.catchUp()))
    },
    stop: async () => {
      stopped = true
      stopPoll?.()
      for (const unwatch of watched.values()) unwatch()
      await Promise.all(turns.map((turn) => turn.stop()))
      await Promise.all([...readers.values()].map((reader) => reader.close()))
    },
  }
}

/** Reads a source when woken, with a rest between two reads. */
const createTurns = (
  reader: SourceReader,
  { setTimer, log, onArrived }: Pick<CollectorPorts, 'setTimer' | 'log' | 'onArrived'>,
) => {
  let reading: Promise<void> = Promise.resolve()
  let isReading = false
  let isWanted = false
  let stopRest: (() => void) | undefined
  let stopped = false
  let reported = ''

  const readAll = async (): Promise<void> => {
    try {
      for (let more = true; more && !stopped; ) {
        const read = await reader.read()
        if (read.arrived.length > 0) onArrived(reader.source, read.arrived)
        more = read.more
      }
      reported = ''
    } catch (thrown) {
      // Said once: the same failure comes back with every look.
      const reason = reasonOf(thrown)
      if (reason !== reported) log.error(`events of ${reader.source}: ${reason}`)
      reported = reason
    }
  }
  const readAndRest = coalesce(async () => {
    if (stopped) return
    stopRest?.()
    isWanted = false
    isReading = true
    await readAll()
    isReading = false
    if (stopped) return
    stopRest = setTimer(REST_MS, () => {
      stopRest = undefined
      if (isWanted) void read()
    })
  })
  const read = (): Promise<void> => {
    reading = readAndRest()
    return reading
  }
  const wake = (): void => {
    isWanted = true
    if (!isReading && stopRest === undefined && !stopped) void read()
  }

  return {
    wake,
    concerns: (folder: string, name: string | null): boolean =>
      dirname(reader.path) === folder && (name === null || reader.path === join(folder, name)),
    /** A read that began after this was called. */
    catchUp: read,
    stop: async () => {
      stopped = true
      stopRest?.()
      await reading
    },
  }
}
