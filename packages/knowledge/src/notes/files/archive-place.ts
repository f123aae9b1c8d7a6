import { join } from 'node:path'
import { type Home, withLock } from '@steward/platform'

/** The archive's folder and the lock for writers. */
export interface ArchivePlace {
  root: string
  lock: string
}

export const archiveAt = (home: Pick<Home, 'knowledge' | 'databases'>): ArchivePlace => ({
  root: home.knowledge,
  lock: join(home.databases, 'knowledge.lock'),
})

const LOCK_WAIT_MS = 10_000

/** Reads and writes notes under the lock, one process at a time. */
export const withArchiveLock = <T>({ lock }: ArchivePlace, work: () => Promise<T>): Promise<T> =>
  withLock(lock, work, { waitMs: LOCK_WAIT_MS })
