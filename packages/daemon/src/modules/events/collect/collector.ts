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
  /** Called per source, in the source's order. */
  onArrived: (source: EventSource, arrived: readonly ArrivedEvent[]) => void
}

export interface Collector {
  start: () => Promise<void>
  /** Resolves when everything currently on disk has arrived. */
  catchUp: () => Promise<void>
  readers: ReadonlyMap<EventSource, SourceReader>
  /** False if changes are only found by polling. */
  isWatching: () => boolean
  stop: () => Promise<void>
}

/** Fallback for missed watcher events, and the poll interval without a watcher. */
const POLL_MS = 1000
const POLL_UNWATCHED_MS = 200
/** Pause between two reads of an active log, so that many rows are read as one batch. */
const REST_MS = 20

/** Follows the four sources: woken by the file system, with slow polling as a fallback. */
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
      // Start watching before reading, so that rows appended in between are found.
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

/** Reads a source when woken, with a pause between reads. */
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
      // Log the same failure only once, because every poll repeats it.
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
    /** Waits for a read that starts after this call. */
    catchUp: read,
    stop: async () => {
      stopped = true
      stopRest?.()
      await reading
    },
  }
}
