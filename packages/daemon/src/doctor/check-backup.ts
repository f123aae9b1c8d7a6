import { type Finding, fine } from '@steward/assistants'
import { BACKUP_INTERVALS, type BackupRecord, reasonOf, type Settings } from '@steward/contract'
import { type Home, readBackupRecord } from '@steward/platform'

/** Whether backups are made as the settings say, and the last one succeeded. */
export const checkBackup = async (
  home: Home,
  schedule: Settings['backup'],
  nowMs: number,
  command: string,
): Promise<Finding> => {
  let record: BackupRecord
  try {
    record = await readBackupRecord(home)
  } catch (thrown) {
    return {
      check: 'backup',
      status: 'warn',
      message: reasonOf(thrown),
      repair: `${command} backup`,
    }
  }
  const { folder, every } = schedule
  const { succeededAt, error } = record
  if (error !== null) {
    const message = `the last backup failed: ${error}`
    return {
      check: 'backup',
      status: 'fail',
      message,
      repair: `${command} backup ${folder ?? 'FOLDER'}`,
    }
  }
  const last = succeededAt === null ? 'none yet' : `last one ${succeededAt}`
  if (folder === undefined || every === 'never') {
    return fine('backup', `not scheduled, ${last} (${command} backup FOLDER --every day)`)
  }
  const isLate =
    succeededAt !== null && nowMs - Date.parse(succeededAt) > 2 * BACKUP_INTERVALS[every]
  if (!isLate) return fine('backup', `every ${every} to ${folder}, ${last}`)
  return {
    check: 'backup',
    status: 'warn',
    message: `scheduled every ${every}, but the ${last}`,
    repair: `start the daemon, which makes them: ${command} service start`,
  }
}
