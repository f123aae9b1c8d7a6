import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { holdLock, isLockHeld, type Lock } from '@steward/platform'

/** Tracks live processes: each one that runs something holds a lock named after itself. */
export interface Owners {
  /** This process's name; the first call takes its lock. */
  own(): string
  isAlive(owner: string): boolean
  /** Removes files of dead processes; a missing file means the same as a free lock. */
  sweep(): void
  close(): void
}

export const createOwners = (directory: string): Owners => {
  const dead = new Set<string>()
  let own: { name: string; lock: Lock } | undefined

  const isAlive = (owner: string): boolean => {
    if (owner === own?.name) return true
    if (dead.has(owner)) return false
    if (isLockHeld(join(directory, owner))) return true
    // Names are never reused, so a dead owner stays dead and needs no second check.
    dead.add(owner)
    return false
  }

  const sweep = (): void => {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    for (const owner of readdirSync(directory)) {
      if (owner === own?.name) continue
      const lock = holdLock(join(directory, owner))
      if (lock === undefined) continue
      removeHeld(lock)
    }
  }

  return {
    isAlive,
    sweep,
    own: () => {
      own ??= takeOwn(directory)
      return own.name
    },
    close: () => {
      if (own === undefined) return
      dead.add(own.name)
      removeHeld(own.lock)
      own = undefined
    },
  }
}

const takeOwn = (directory: string): { name: string; lock: Lock } => {
  for (;;) {
    const name = randomUUID()
    const lock = holdLock(join(directory, name))
    // A sweeping process may have removed the new file before it was locked.
    if (lock !== undefined && existsSync(lock.path)) return { name, lock }
    lock?.release()
  }
}

/**
 * Removed while the lock is held, so that no other process can lock a file that is about to
 * disappear.
 */
const removeHeld = (lock: Lock): void => {
  rmSync(lock.path, { force: true })
  lock.release()
}
