import { statSync } from 'node:fs'
import { join, sep } from 'node:path'
import { StewardError } from '@steward/contract'
import { isMissing } from '../error-code.ts'
import { SQLITE, sqliteCodeOf } from '../sqlite-code.ts'
import { isStorageFailure, storageErrorOf, toStorageError } from '../storage-error.ts'

/** Guards one open database, so that nothing is written to a damaged or missing file. */
export interface DatabaseGuard {
  readonly path: string
  /** Throws if the file must not be written to. */
  check(): void
  /**
   * Converts a thrown error to one from the error table. Damage is remembered while the file is
   * open.
   */
  explain(thrown: unknown): unknown
  /** Records that a check of the whole file found damage. */
  condemn(reason: string): void
  /** Converts a failed sync of the disk to an error from the error table, and remembers it. */
  syncFailed(thrown: unknown): StewardError
  /** A write reached the disk, which clears earlier failures. */
  succeeded(): void
  /** The reason why it cannot be used at the moment, if any. */
  problem(): StewardError | undefined
  release(): void
}

const guards = new Set<DatabaseGuard>()

/** The databases below a folder that this process has open, for reports on their state. */
export const listOpenDatabases = (folder: string): readonly DatabaseGuard[] =>
  [...guards].filter(({ path }) => path.startsWith(join(folder, sep)))

export const guardDatabase = (path: string): DatabaseGuard => {
  const opened = identify(path)
  let damage: StewardError | undefined
  let lastFailure: StewardError | undefined
  const lossOf = (): StewardError | undefined => {
    if (opened === undefined) return undefined
    try {
      if (identify(path) === opened) return undefined
    } catch (thrown) {
      if (!isMissing(thrown)) return storageErrorOf(path, thrown)
    }
    const reason = 'it was removed or replaced while Steward was using it'
    return new StewardError('storage_lost', { path, reason })
  }
  const guard: DatabaseGuard = {
    path,
    check: () => {
      const problem = damage ?? lossOf()
      if (problem !== undefined) throw problem
    },
    explain: (thrown) => {
      const error = toStorageError(path, thrown)
      if (!(error instanceof StewardError) || error === thrown) return error
      if (error.code === 'storage_damaged') damage ??= error
      // A schema violation is the caller's error, and a lock is temporary.
      if (isStorageFailure(thrown) && sqliteCodeOf(thrown) !== SQLITE.busy) lastFailure = error
      return error
    },
    condemn: (reason) => {
      damage ??= new StewardError('storage_damaged', { path, reason })
    },
    syncFailed: (thrown) => {
      lastFailure = storageErrorOf(path, thrown)
      return lastFailure
    },
    succeeded: () => {
      lastFailure = undefined
    },
    problem: () => damage ?? lossOf() ?? lastFailure,
    release: () => guards.delete(guard),
  }
  guards.add(guard)
  return guard
}

/** Undefined for an in-memory database. */
const identify = (path: string): string | undefined => {
  if (path === ':memory:') return undefined
  const { dev, ino } = statSync(path)
  return `${dev}:${ino}`
}
