import { closeSync, openSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { reasonOf, StewardError, type StorageCode, storageCodeOf } from '@steward/contract'
import { codeOf } from './error-code.ts'
import { SQLITE, sqliteCodeOf } from './sqlite-code.ts'

const SQLITE_REASONS: Record<number, string> = {
  [SQLITE.busy]: 'another process keeps it locked',
  [SQLITE.readonly]: 'it cannot be written to',
  [SQLITE.full]: 'no space is left',
  [SQLITE.ioerr]: 'the disk reported an error',
  [SQLITE.corrupt]: 'its content is damaged',
  [SQLITE.cantopen]: 'it cannot be opened',
  [SQLITE.notadb]: 'it is not an SQLite database',
}

const SYSTEM_REASONS: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the device',
  EDQUOT: 'the disk quota is used up',
  EISDIR: 'there is a folder where a file should be',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EEXIST: 'there is a file where a folder should be',
  EMFILE: 'too many files are open in this process',
  ENFILE: 'too many files are open on this machine',
  EIO: 'the device reports an input or output error',
}

/**
 * Returns whether the error comes from the storage, so that its whole transaction must be rolled
 * back.
 */
export const isStorageFailure = (thrown: unknown): boolean => {
  const code = sqliteCodeOf(thrown)
  return code !== undefined && code in SQLITE_REASONS
}

/** Returns whether the file is no longer a valid database; a full disk or a lock does not count. */
export const isDamaged = (thrown: unknown): boolean => {
  const code = sqliteCodeOf(thrown instanceof StewardError ? thrown.cause : thrown)
  return code === SQLITE.corrupt || code === SQLITE.notadb
}

/** Returns whether another process keeps the database locked. */
export const isLocked = (thrown: unknown): boolean =>
  sqliteCodeOf(thrown instanceof StewardError ? thrown.cause : thrown) === SQLITE.busy

/** Converts a SQLite error to one from the error table; returns other errors unchanged. */
export const toStorageError = (path: string, thrown: unknown): unknown =>
  sqliteCodeOf(thrown) === undefined ? thrown : storageErrorOf(path, thrown)

/**
 * Converts a system or SQLite error about a file to one from the error table that gives the cause.
 * `doing` describes the failed step, for example `it cannot be read`.
 */
export const storageErrorOf = (path: string, thrown: unknown, doing?: string): StewardError => {
  if (thrown instanceof StewardError) return thrown
  const sqlite = sqliteCodeOf(thrown)
  const known = sqlite === undefined ? SYSTEM_REASONS[codeOf(thrown) ?? ''] : SQLITE_REASONS[sqlite]
  const said = known === undefined ? reasonOf(thrown) : `${known} (${reasonOf(thrown)})`
  const code = codeFor(path, thrown, sqlite)
  const cause = code === 'disk_full' ? `${said}${tellInodes(path)}` : said
  const reason = doing === undefined ? cause : `${doing}: ${cause}`
  return new StewardError(code, { path, reason }, thrown)
}

const codeFor = (path: string, thrown: unknown, sqlite: number | undefined): StorageCode => {
  const known = storageCodeOf(thrown)
  if (known !== undefined) return known
  const system = codeOf(thrown)
  if (system === 'EACCES' || system === 'EPERM') return 'storage_denied'
  // SQLite does not pass on the system's reason, so it is determined from the folder.
  if (sqlite === SQLITE.cantopen || sqlite === SQLITE.ioerr) return askFolder(dirname(path))
  return 'storage_failed'
}

const askFolder = (folder: string): StorageCode => {
  try {
    closeSync(openSync(folder, 'r'))
    const { bavail, ffree, files } = statfsSync(folder)
    return bavail === 0 || (files > 0 && ffree === 0) ? 'disk_full' : 'storage_failed'
  } catch (thrown) {
    const code = codeOf(thrown)
    if (code === 'EACCES' || code === 'EPERM') return 'storage_denied'
    return storageCodeOf(thrown) ?? 'storage_failed'
  }
}

/** A disk can run out of inodes before it runs out of bytes. */
const tellInodes = (path: string): string => {
  try {
    const { bavail, ffree, files } = statfsSync(dirname(path))
    return files > 0 && ffree === 0 && bavail > 0
      ? '; it has free bytes but no free inodes: remove files, not only large ones'
      : ''
  } catch {
    return ''
  }
}
