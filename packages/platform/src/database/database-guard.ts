import { statSync } from 'node:fs'
import { join, sep } from 'node:path'
import { StewardError } from '@steward/contract'
import { isMissing } from '../error-code.ts'
import { SQLITE, sqliteCodeOf } from '../sqlite-code.ts'
import { isStorageFailure, storageErrorOf, toStorageError } from '../storage-error.ts'

/** Watches over one open database, so that nothing is written to a file that is damaged or gone. */
export interface DatabaseGuard {
  readonly path: string
  /** Throws when the file must not be written to. */
  check(): void
  /** What was thrown, as an error of the table. Damage is remembered for as long as the file is open. */
  explain(thrown: unknown): unknown
  /** Notes that a check of the whole file found damage. */
  condemn(reason: string): void
  /** A change is on disk: what kept earlier ones from it is over. */
  succeeded(): void
  /** Why it cannot be used at the moment. */
  problem(): StewardError | undefined
  release(): void
}

const guards = new Set<DatabaseGuard>()

/** The databases below a folder that this process has open, for whoever reports on them. */
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
      // A broken rule of the schema is the caller's, and a lock passes.
      if (isStorageFailure(thrown) && sqliteCodeOf(thrown) !== SQLITE.busy) lastFailure = error
      return error
    },
    condemn: (reason) => {
      damage ??= new StewardError('storage_damaged', { path, reason })
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

/** Nothing for a database in memory. */
const identify = (path: string): string | undefined => {
  if (path === ':memory:') return undefined
  const { dev, ino } = statSync(path)
  return `${dev}:${ino}`
}
