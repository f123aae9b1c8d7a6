import { join } from 'node:path'
import {
  changedRecords,
  type FailedCommand,
  findRecords,
  importUsage,
  recordsAt,
  type UsageLedger,
  type UsagePlace,
} from '@steward/assistants'
import { reasonOf } from '@steward/contract'
import { coalesce, type Home, type StartTimer, withLock } from '@steward/platform'
import type { Log } from '../../log/log.ts'
import type { HostedUsage } from '../../ports.ts'
import { takeHostedCalls } from './take-hosted-calls.ts'
import { type RecordWatcher, watchRecords } from './watch-records.ts'

export interface LedgerKeeperPorts {
  home: Pick<Home, 'databases'>
  log: Log
  now: () => number
  setTimer: StartTimer
  place: UsagePlace
  /** Called once for each command of an assistant that failed, as far as its records tell. */
  onFailure: (host: string, failure: FailedCommand) => void
  /**
   * Imports much in another process, whose memory is free again afterwards. Rejects if that fails;
   * without it everything is read here.
   */
  importElsewhere?: (signal: AbortSignal) => Promise<void>
  hosted: HostedUsage
}

export interface LedgerKeeper {
  /** Resolves when everything that is on disk now is in the ledger. Rejects never. */
  update: () => Promise<void>
  /** Like `update`, but while the history is imported it resolves at once. */
  refresh: () => Promise<void>
  isImporting: () => boolean
  problems: () => readonly string[]
  stop: () => Promise<void>
}

/** More than this is read in a process of its own. */
const LARGE_BYTES = 16 * 1024 * 1024
/** A command that imports at the same time has at most this long. */
const LOCK_WAIT_MS = 60_000
/** Rows of a burst are read together. */
const GATHER_MS = 200
/** Files that a watch has missed are found after this long. */
const SCAN_MS = 10 * 60_000
/** Without a complete watch, requests look at all files, but no more often than this. */
const BLIND_SCAN_MS = 1000
/** The files that were written last are looked at with every request. */
const RECENT_FILES = 50

/** Older failures are history, which is imported without telling. */
const NEWS_MS = 3_600_000

/** Keeps the ledger up to date with the assistants' records, as they are written. */
export const keepLedger = (
  ledger: UsageLedger,
  { home, log, now, setTimer, place, onFailure, importElsewhere, hosted }: LedgerKeeperPorts,
  onUpdated: () => void,
): LedgerKeeper => {
  const stopping = new AbortController()
  const dirty = new Set<string>()
  let recent: string[] = []
  let scannedMs: number | undefined
  let isImporting = true
  let hasBegun = false
  let problems: string[] = []
  let watcher: RecordWatcher | undefined
  let endTimer: (() => void) | undefined
  let endScanTimer: (() => void) | undefined

  const onFailures = (host: string, failures: readonly FailedCommand[]): void => {
    for (const failure of failures) {
      if (failure.atMs >= now() - NEWS_MS) onFailure(host, failure)
    }
  }
  const locked = <T>(work: () => Promise<T>): Promise<T> =>
    withLock(join(home.databases, 'usage.lock'), work, { waitMs: LOCK_WAIT_MS })

  const scan = async (): Promise<void> => {
    const found = await findRecords(place)
    const changed = changedRecords(found.records, ledger)
    watcher ??= watchRecords((path) => {
      dirty.add(path)
      endTimer ??= setTimer(GATHER_MS, () => {
        endTimer = undefined
        void update()
      })
    })
    watcher.add(found.folders)
    watcher.await(found.absent)
    recent = found.records
      .toSorted((one, other) => other.changedMs - one.changedMs)
      .slice(0, RECENT_FILES)
      .map(({ source }) => source.path)
    if (changed.length > 0) problems = [...found.problems, ...(await take(changed))]
    else problems = found.problems
    scannedMs = now()
  }

  const take = async (changed: ReturnType<typeof changedRecords>): Promise<string[]> => {
    const bytes = changed.reduce((sum, each) => sum + each.bytes, 0)
    let left: typeof changed = changed
    if (importElsewhere !== undefined && bytes > LARGE_BYTES && scannedMs === undefined) {
      try {
        await importElsewhere(stopping.signal)
        left = changedRecords(changed, ledger)
      } catch (thrown) {
        if (stopping.signal.aborted) return []
        log.warn(`usage is imported here: ${reasonOf(thrown)}`)
      }
    }
    return locked(() =>
      importUsage(left, {
        ledger,
        signal: stopping.signal,
        hasProgress: isImporting,
        onFailures,
      }),
    )
  }

  const mustScan = (): boolean => {
    if (scannedMs === undefined || watcher === undefined) return true
    const wait = watcher.isComplete() ? SCAN_MS : BLIND_SCAN_MS
    return now() - scannedMs >= wait
  }

  const readChanges = async (): Promise<void> => {
    const paths = new Set([...dirty, ...recent])
    dirty.clear()
    const changed = changedRecords(await recordsAt(paths, place), ledger)
    if (changed.length === 0) return
    const named = changed.map(({ source }) => source.path)
    recent = [...new Set([...named, ...recent])].slice(0, RECENT_FILES)
    problems = await locked(() =>
      importUsage(changed, { ledger, signal: stopping.signal, onFailures }),
    )
  }

  const update = coalesce(async () => {
    if (stopping.signal.aborted) return
    hasBegun = true
    try {
      if (mustScan()) await scan()
      else await readChanges()
      await takeHostedCalls(ledger, hosted)
    } catch (thrown) {
      const reason = reasonOf(thrown)
      if (!problems.includes(reason)) log.warn(`usage: ${reason}`)
      problems = [reason]
    } finally {
      isImporting = false
    }
    endScanTimer?.()
    endScanTimer = stopping.signal.aborted ? undefined : setTimer(SCAN_MS, () => void update())
    if (!stopping.signal.aborted) onUpdated()
  })

  return {
    update,
    refresh: async () => {
      if (!isImporting) await update()
      else if (!hasBegun) void update()
    },
    isImporting: () => isImporting,
    problems: () => problems,
    stop: async () => {
      stopping.abort()
      endTimer?.()
      endScanTimer?.()
      watcher?.close()
      await update()
    },
  }
}
