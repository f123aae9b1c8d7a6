import {
  BACKUP_INTERVALS,
  type BackupRecord,
  type ModuleHealth,
  reasonOf,
  type Settings,
} from '@steward/contract'
import { type Home, readBackupRecord, type StartTimer } from '@steward/platform'
import type { Bus } from '../../bus/bus.ts'
import type { Log } from '../../log/log.ts'
import type { DaemonModule } from '../../module.ts'

export interface BackupModulePorts {
  home: Home
  bus: Bus
  log: Log
  now: () => number
  setTimer: StartTimer
  settings: () => Pick<Settings, 'backup'>
  /**
   * Makes a backup in a process of its own: copying would keep this one busy, and opening a database
   * by other means than SQLite would drop this process's locks on it. Rejects with the reason.
   */
  backUp: (schedule: Settings['backup'] & { folder: string }, signal: AbortSignal) => Promise<void>
}

const RETRY_MS = 3_600_000
/** Looked at this often, so that sleep and changes of the clock delay a backup by no more. */
const LOOK_MS = 600_000

/** Makes backups as the settings say, and tells when one fails. */
export const createBackupModule = (ports: BackupModulePorts): DaemonModule => {
  const { home, bus, log, now, setTimer, settings, backUp } = ports
  const endings: Array<() => void> = []
  const stopping = new AbortController()
  let cancelLook = (): void => undefined
  let underWay: Promise<void> | undefined
  let record: BackupRecord | undefined
  let fault: string | undefined

  const look = (): void => {
    cancelLook()
    if (underWay !== undefined || stopping.signal.aborted) return
    underWay = lookNow().finally(() => {
      underWay = undefined
      if (!stopping.signal.aborted) cancelLook = setTimer(LOOK_MS, look)
    })
  }

  const lookNow = async (): Promise<void> => {
    try {
      record = await readBackupRecord(home)
      fault = record.error ?? undefined
      const { folder, ...rest } = settings().backup
      if (folder === undefined || now() < nextBackup(record, rest.every, now())) return
      await make({ folder, ...rest })
      record = await readBackupRecord(home)
    } catch (thrown) {
      fault = reasonOf(thrown)
      log.warn(`backup: ${fault}`)
    }
  }

  const make = async (schedule: Settings['backup'] & { folder: string }): Promise<void> => {
    try {
      await backUp(schedule, stopping.signal)
      fault = undefined
      log.info(`backup: made in ${schedule.folder}`)
    } catch (thrown) {
      if (stopping.signal.aborted) return
      const isNew = fault === undefined
      fault = reasonOf(thrown)
      log.error(`backup: ${fault}`)
      if (isNew) bus.publish('notice', { kind: 'error', message: `The backup failed: ${fault}` })
    }
  }

  return {
    name: 'backup',
    handlers: [],
    start: async () => {
      endings.push(bus.subscribe('settings.changed', look))
      look()
    },
    stop: async () => {
      for (const end of endings.splice(0)) end()
      stopping.abort()
      cancelLook()
      await underWay
    },
    health: (): ModuleHealth => {
      const { folder, every } = settings().backup
      if (folder === undefined || every === 'never') {
        return { status: 'unavailable', reasons: ['no backups are scheduled'] }
      }
      return {
        status: fault === undefined ? 'ok' : 'degraded',
        ...(fault === undefined ? {} : { reasons: [`the last backup failed: ${fault}`] }),
        folder,
        every,
        lastSuccessAt: record?.succeededAt ?? null,
      }
    },
  }
}

/** The time of the next backup: an interval after the last good one, sooner after a failure. */
export const nextBackup = (
  { succeededAt, attemptedAt, error }: BackupRecord,
  every: Settings['backup']['every'],
  nowMs: number,
): number => {
  const intervalMs = BACKUP_INTERVALS[every]
  const waitMs = error === null ? intervalMs : Math.min(intervalMs, RETRY_MS)
  const last = error === null ? succeededAt : attemptedAt
  if (intervalMs === Number.POSITIVE_INFINITY) return intervalMs
  // After the clock was set back the last one lies in the future; it must not delay the next for long.
  return last === null ? nowMs : Math.min(Date.parse(last), nowMs) + waitMs
}
