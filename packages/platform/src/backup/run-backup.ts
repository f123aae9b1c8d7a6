import { statSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { reasonOf, StewardError } from '@steward/contract'
import type { Home } from '../home/home.ts'
import { recordBackup, recordFailedBackup } from './backup-record.ts'
import { type CreatedBackup, createBackup } from './create-backup.ts'

export interface RunBackupOptions {
  home: Home
  /** An absolute path: a folder, or the archive itself if it ends in `.tar.gz` or `.tgz`. */
  target: string
  secrets: boolean
  /** Removes older backups of this data home in excess of this number. */
  keep?: number
  now: () => Date
}

export interface BackupOutcome extends CreatedBackup {
  /** Older backups that were removed because of `keep`. */
  removed: string[]
}

/**
 * Makes a backup and records the result for health, doctor and the schedule. A backup with damaged
 * data counts as failed and removes no older backup, which may be better.
 */
export const runBackup = async (options: RunBackupOptions): Promise<BackupOutcome> => {
  const { home, target, secrets, keep, now } = options
  const at = now()
  try {
    const file = backupFileAt(target, at)
    const backup = await createBackup({ home, file, secrets, now })
    if (backup.problems.length > 0) {
      await recordFailedBackup(home, at, `incomplete: ${backup.problems.join('; ')}`)
      return { ...backup, removed: [] }
    }
    const removed = await recordBackup(home, { path: file, createdAt: at.toISOString() }, keep)
    return { ...backup, removed }
  } catch (thrown) {
    // A backup that is already running is not a failure.
    const isBusy = thrown instanceof StewardError && thrown.code === 'run_active'
    if (!isBusy) await recordFailedBackup(home, at, reasonOf(thrown))
    throw thrown
  }
}

const backupFileAt = (target: string, at: Date): string => {
  if (!isAbsolute(target)) throw new TypeError(`${target} is not an absolute path`)
  const found = statSync(target, { throwIfNoEntry: false })
  if (found?.isFile() === true) {
    throw new StewardError('already_exists', { subject: target })
  }
  if (found === undefined && /\.(?:tar\.gz|tgz)$/.test(target)) return target
  const stamp = at
    .toISOString()
    .replace(/\.\d+Z$/, '')
    .replaceAll(':', '-')
  return freeName(join(target, `steward-backup-${stamp}`))
}

/** Two backups may be made in the same second. */
const freeName = (stem: string, number = 1): string => {
  const file = `${stem}${number === 1 ? '' : `-${number}`}.tar.gz`
  return statSync(file, { throwIfNoEntry: false }) === undefined ? file : freeName(stem, number + 1)
}
