/** Errors of the table that say what is wrong with the storage. */
export const STORAGE_CODES = [
  'storage_failed',
  'disk_full',
  'storage_denied',
  'storage_damaged',
  'storage_lost',
  'too_many_open_files',
] as const
export type StorageCode = (typeof STORAGE_CODES)[number]

/** Whether an error is about us and our disk, and so not about what was asked for. */
export const isStorageCode = (code: string): code is StorageCode =>
  STORAGE_CODES.some((each) => each === code)

const BY_SYSTEM_CODE: Readonly<Record<string, StorageCode>> = {
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
  EROFS: 'storage_denied',
  EMFILE: 'too_many_open_files',
  ENFILE: 'too_many_open_files',
}

/** By the number that SQLite gives: SQLITE_READONLY, _CORRUPT, _FULL and _NOTADB. */
const BY_SQLITE_CODE: Readonly<Record<number, StorageCode>> = {
  8: 'storage_denied',
  11: 'storage_damaged',
  13: 'disk_full',
  26: 'storage_damaged',
}

/**
 * The row of the table for an error of the system or of SQLite that has one of its own. A permission is
 * left out: only whoever named the file knows whether it is one of ours.
 */
export const storageCodeOf = (thrown: unknown): StorageCode | undefined => {
  if (!(thrown instanceof Error)) return undefined
  if ('errcode' in thrown && typeof thrown.errcode === 'number') {
    return BY_SQLITE_CODE[thrown.errcode & 0xff]
  }
  return 'code' in thrown && typeof thrown.code === 'string'
    ? BY_SYSTEM_CODE[thrown.code]
    : undefined
}
