import { type DiskUse, measureFolder, readFree } from './measure.ts'

export interface DiskWatch {
  /** Calls back once when the folder exceeds its limit. */
  watch(folder: string, limit: DiskUse, onOver: (use: DiskUse) => void): Watched
  close(): void
}

export interface Watched {
  stop(): void
}

export interface DiskWatchPorts {
  measure: (folder: string) => Promise<DiskUse>
  readFree: (folder: string) => Promise<DiskUse>
  /** Calls `act` repeatedly; the returned function stops it. */
  repeat: (everyMs: number, act: () => void) => () => void
}

interface Entry {
  folder: string
  limit: DiskUse
  onOver: (use: DiskUse) => void
  measured: DiskUse | undefined
  /** Free space lost on the disk since `measured`, an upper bound of what the session took. */
  lost: DiskUse
  turns: number
  measuring: boolean
}

const EVERY_MS = 100
/** Measures regularly anyway, because space freed elsewhere may hide what was taken. */
const TURNS_TO_MEASURE = 600

/**
 * Enforces disk limits of sessions. Walking a folder is expensive and asking for free space is
 * cheap, so a folder is measured only when it could have exceeded its limit since the last time.
 */
export const createDiskWatch = ({
  measure,
  readFree: readFreeOf,
  repeat,
}: DiskWatchPorts = SYSTEM): DiskWatch => {
  const entries = new Set<Entry>()
  let before: DiskUse | undefined
  let stopRepeating: (() => void) | undefined
  let busy = false

  const judge = async (entry: Entry): Promise<void> => {
    entry.measuring = true
    try {
      entry.lost = { bytes: 0, entries: 0 }
      entry.turns = 0
      const use = await measure(entry.folder)
      entry.measured = use
      const over = use.bytes > entry.limit.bytes || use.entries > entry.limit.entries
      if (over && entries.delete(entry)) entry.onOver(use)
    } finally {
      entry.measuring = false
    }
  }

  const look = async (): Promise<void> => {
    const [first] = entries
    if (first === undefined) return
    const free = await readFreeOf(first.folder)
    const last = before ?? free
    before = free
    const due = [...entries].filter((entry) => {
      entry.turns += 1
      entry.lost.bytes += Math.max(0, last.bytes - free.bytes)
      entry.lost.entries += Math.max(0, last.entries - free.entries)
      return !entry.measuring && isDue(entry)
    })
    await Promise.all(due.map(judge))
  }

  const turn = () => {
    if (busy) return
    busy = true
    // A failed query is retried; the folder may just have been deleted.
    void look()
      .catch(() => undefined)
      .finally(() => {
        busy = false
      })
  }

  return {
    watch: (folder, limit, onOver) => {
      const entry: Entry = {
        ...{ folder, limit, onOver, measured: undefined, measuring: false, turns: 0 },
        lost: { bytes: 0, entries: 0 },
      }
      entries.add(entry)
      stopRepeating ??= repeat(EVERY_MS, turn)
      return {
        stop: () => {
          entries.delete(entry)
          if (entries.size > 0) return
          stopRepeating?.()
          stopRepeating = undefined
          before = undefined
        },
      }
    },
    close: () => {
      entries.clear()
      stopRepeating?.()
      stopRepeating = undefined
    },
  }
}

const isDue = ({ measured, lost, limit, turns }: Entry): boolean =>
  measured === undefined ||
  turns >= TURNS_TO_MEASURE ||
  measured.bytes + lost.bytes > limit.bytes ||
  measured.entries + lost.entries > limit.entries

const SYSTEM: DiskWatchPorts = {
  measure: measureFolder,
  readFree,
  repeat: (everyMs, act) => {
    const timer = setInterval(act, everyMs)
    timer.unref()
    return () => clearInterval(timer)
  },
}
