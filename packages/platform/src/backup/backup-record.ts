import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type BackupRecord, backupRecord, unwrap } from '@steward/contract'
import { readStateFile, updateStateFile } from '../files/state-file.ts'
import type { Home } from '../home/home.ts'

const EMPTY: BackupRecord = { attemptedAt: null, succeededAt: null, error: null, files: [] }

const recordPath = (home: Home): string => join(home.databases, 'backups.json')

export const readBackupRecord = async (home: Home): Promise<BackupRecord> =>
  unwrap(await readStateFile(recordPath(home), backupRecord, EMPTY))

export const recordFailedBackup = async (home: Home, at: Date, error: string): Promise<void> => {
  const attemptedAt = at.toISOString()
  unwrap(
    await updateStateFile(recordPath(home), backupRecord, EMPTY, (record) => ({
      ...record,
      attemptedAt,
      error,
    })),
  )
}

/**
 * Records a backup that succeeded. With `keep`, removes the oldest backups of this data home in
 * excess of that number and gives back their paths.
 */
export const recordBackup = async (
  home: Home,
  backup: BackupRecord['files'][number],
  keep?: number,
): Promise<string[]> => {
  const removed: string[] = []
  unwrap(
    await updateStateFile(recordPath(home), backupRecord, EMPTY, async (record) => {
      const files = [...record.files, backup]
      const excess = keep === undefined ? 0 : Math.max(0, files.length - keep)
      for (const { path } of files.slice(0, excess)) {
        await rm(path, { force: true })
        removed.push(path)
      }
      const at = backup.createdAt
      return { attemptedAt: at, succeededAt: at, error: null, files: files.slice(excess) }
    }),
  )
  return removed
}
