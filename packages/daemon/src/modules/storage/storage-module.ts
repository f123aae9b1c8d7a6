import { statSync } from 'node:fs'
import { type ModuleHealth, reasonOf, type Settings, StewardError } from '@steward/contract'
import {
  type DatabaseGuard,
  type DiskSpace,
  describeShortage,
  describeStoreProblem,
  examineAccess,
  examineJsonFiles,
  findLossNotes,
  type Home,
  listDatabaseFiles,
  removeStaleDrafts,
  type StartTimer,
  type StoreProblem,
} from '@steward/platform'
import type { Log } from '../../log/log.ts'
import type { DaemonModule } from '../../module.ts'
import type { Notices } from '../../ports.ts'

export interface StorageModulePorts {
  home: Home
  log: Log
  now: () => number
  setTimer: StartTimer
  settings: () => Pick<Settings, 'storage'>
  notices: Notices
  /** The databases that the daemon has open. */
  openDatabases: () => readonly DatabaseGuard[]
  /** Checks a whole database for damage; undefined if there is none. */
  checkDatabase: (path: string) => Promise<string | undefined>
  readDisks: (home: Home) => DiskSpace[]
}

const LOOK_EVERY_MS = 60_000
/** Checking a larger file would keep the disk busy for too long; `steward doctor` checks it. */
const LARGEST_CHECKED_BYTES = 256 * 1024 ** 2
const MEGABYTE = 1_000_000

interface Shortage {
  isFull: boolean
  message: string
}

/** Monitors the disk and every store of the data home, and warns people before writes fail. */
export const createStorageModule = (ports: StorageModulePorts): DaemonModule => {
  const { home, log, now, setTimer, settings, notices, openDatabases } = ports
  let cancelLook = (): void => undefined
  let looking: Promise<void> = Promise.resolve()
  let isStopped = false
  let disks: readonly DiskSpace[] = []
  let seen: readonly StoreProblem[] = []
  const checked = new Set<string>()
  /** Databases that other processes use, such as the hosted server, and that are damaged. */
  const damaged = new Map<string, StoreProblem>()
  const told = new Set<string>()

  const shortages = (): Shortage[] =>
    disks.flatMap((disk) => {
      const found = describeShortage(disk, settings().storage.warnBelowMb * MEGABYTE)
      return found === undefined ? [] : [found]
    })
  /** The problems of the open databases, in addition to those found by the last check. */
  const problems = (): StoreProblem[] => {
    const live = openDatabases().flatMap((guard) => {
      const error = guard.problem()
      return error === undefined ? [] : [describeStoreProblem(home, guard.path, error)]
    })
    const known = new Set(live.map(({ store }) => store))
    return [...live, ...[...damaged.values(), ...seen].filter(({ store }) => !known.has(store))]
  }

  /** Reports each condition once while it lasts, and at most once a day. */
  const tell = async (): Promise<void> => {
    const conditions = new Map([
      ...shortages().map(
        ({ message }) => ['disk', `The disk is almost full: ${message}.`] as const,
      ),
      ...problems().map(({ store, message, remedy }) => [store, `${message}. ${remedy}`] as const),
    ])
    for (const subject of told) if (!conditions.has(subject)) told.delete(subject)
    for (const [subject, message] of conditions) {
      if (told.has(subject)) continue
      log.error(`storage: ${message}`)
      const day = new Date(now()).toISOString().slice(0, 10)
      const key = `storage:${subject}:${day}`
      const { stored } = await notices.send({ kind: 'error', title: 'Storage', message, key })
      // On a full disk the notice cannot be stored either, so it is sent once there is space.
      if (stored) told.add(subject)
    }
  }

  const checkDatabases = async (): Promise<void> => {
    const guards = new Map(openDatabases().map((guard) => [guard.path, guard]))
    for (const path of new Set([...guards.keys(), ...listDatabaseFiles(home)])) {
      // A database that was found damaged is checked again, because it may have been repaired.
      if (isStopped || (checked.has(path) && !damaged.has(path))) continue
      checked.add(path)
      damaged.delete(path)
      const found = statSync(path, { throwIfNoEntry: false })
      const size = found?.isFile() ? found.size : 0
      if (size === 0 || size > LARGEST_CHECKED_BYTES) continue
      const reason = await ports.checkDatabase(path)
      if (reason === undefined) continue
      const guard = guards.get(path)
      const error = new StewardError('storage_damaged', { path, reason })
      if (guard === undefined) damaged.set(path, describeStoreProblem(home, path, error))
      else guard.condemn(reason)
    }
  }

  const look = async (): Promise<void> => {
    try {
      disks = ports.readDisks(home)
      seen = [...examineAccess(home), ...examineJsonFiles(home), ...findLossNotes(home)]
      await checkDatabases()
      await tell()
    } catch (thrown) {
      log.error(`storage: the data home cannot be examined: ${reasonOf(thrown)}`)
    }
    if (!isStopped) cancelLook = setTimer(LOOK_EVERY_MS, lookAgain)
  }
  const lookAgain = (): void => {
    looking = look()
  }
  const begin = async (): Promise<void> => {
    try {
      const removed = await removeStaleDrafts(home.root, now())
      if (removed > 0) log.info(`storage: removed ${removed} drafts that killed processes left`)
    } catch (thrown) {
      log.warn(`storage: drafts of killed processes cannot be removed: ${reasonOf(thrown)}`)
    }
    await look()
  }

  return {
    name: 'storage',
    handlers: [],
    start: async () => {
      // Runs after the other modules have started, because they must not wait for it.
      cancelLook = setTimer(0, () => {
        looking = begin()
      })
    },
    stop: async () => {
      isStopped = true
      cancelLook()
      await looking
    },
    health: () => describe(problems(), shortages(), disks),
  }
}

const describe = (
  problems: readonly StoreProblem[],
  shortages: readonly Shortage[],
  disks: readonly DiskSpace[],
): ModuleHealth => {
  const isFailed = shortages.some(({ isFull }) => isFull) || problems.some(({ blocks }) => blocks)
  const isWorrying = isFailed || problems.length > 0 || shortages.length > 0
  return {
    status: isFailed ? 'failed' : isWorrying ? 'degraded' : 'ok',
    ...(isWorrying
      ? {
          reasons: [
            ...shortages.map(({ message }) => `${message}: free space on it`),
            ...problems.map(({ message, remedy }) => `${message} (${remedy})`),
          ],
        }
      : {}),
    stores: problems.map(({ store }) => store),
    ...(disks.length === 0 ? {} : { freeBytes: Math.min(...disks.map((disk) => disk.freeBytes)) }),
  }
}
