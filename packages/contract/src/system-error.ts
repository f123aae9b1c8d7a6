/** The error codes for problems with the storage. */
export const STORAGE_CODES = [
  'storage_failed',
  'disk_full',
  'storage_denied',
  'storage_damaged',
  'storage_lost',
  'too_many_open_files',
] as const
export type StorageCode = (typeof STORAGE_CODES)[number]

/** Returns whether an error is about Steward's own storage and not about the request. */
export const isStorageCode = (code: string): code is StorageCode =>
  STORAGE_CODES.some((each) => each === code)

const BY_SYSTEM_CODE: Readonly<Record<string, StorageCode>> = {
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
  EROFS: 'storage_denied',
  EMFILE: 'too_many_open_files',
  ENFILE: 'too_many_open_files',
}

/** By SQLite result code: SQLITE_READONLY, _CORRUPT, _FULL and _NOTADB. */
const BY_SQLITE_CODE: Readonly<Record<number, StorageCode>> = {
  8: 'storage_denied',
  11: 'storage_damaged',
  13: 'disk_full',
  26: 'storage_damaged',
}

/**
 * Returns the error code for a system or SQLite error that has one. Permission errors have none
 * here, because only the caller knows whether the file is Steward's own.
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
