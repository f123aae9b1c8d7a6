import { renameSync, rmSync, statSync } from 'node:fs'
import { LIMITS } from '@steward/contract'
import { isMissing } from '../error-code.ts'
import { holdLock } from '../locks/lock.ts'
import { storageErrorOf } from '../storage-error.ts'
import { listRotatedSync, rotatedPath } from './rotated-files.ts'

/** Log retention; `observability.logs` of the settings. */
export interface LogRetention {
  /** A larger log is rotated. */
  maxBytes?: number
  /** The number of rotated files to keep. */
  files?: number
  /** Rotated files whose last row is older are deleted. */
  maxAgeDays?: number
}

const MAX_AGE_DAYS = 90
const DAY_MS = 86_400_000

export interface RotateOptions extends LogRetention {
  now?: () => number
}

/**
 * Renames a log above its limit to `<name>.1`, older ones to `.2` and so on (the highest number is
 * the oldest), and deletes rotated files beyond the retention. The holder of the lock does it; if
 * another process holds it, nothing happens here. Returns whether the log was rotated.
 *
 * A writer that opened the log just before still writes into the renamed file; readers look there.
 */
export const rotateLog = (
  path: string,
  {
    maxBytes = LIMITS.logBytes,
    files = LIMITS.logFiles,
    maxAgeDays = MAX_AGE_DAYS,
    now = Date.now,
  }: RotateOptions = {},
): boolean => {
  try {
    const large = sizeOf(path) > maxBytes
    if (!large && listRotatedSync(path).length === 0) return false
    const lock = holdLock(`${path}.lock`)
    if (lock === undefined) return false
    try {
      removeOld(path, files, now() - maxAgeDays * DAY_MS)
      // Checked again under the lock, because the previous holder may have rotated.
      if (sizeOf(path) <= maxBytes) return false
      shift(path, files)
      return true
    } finally {
      lock.release()
    }
  } catch (thrown) {
    throw storageErrorOf(path, thrown, 'the log cannot be rotated')
  }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

const removeOld = (path: string, files: number, oldestMs: number): void => {
  for (const number of listRotatedSync(path)) {
    const rotated = rotatedPath(path, number)
    const found = statSync(rotated, { throwIfNoEntry: false })
    if (number > files || (found !== undefined && found.mtimeMs < oldestMs)) {
      rmSync(rotated, { force: true })
    }
  }
}

/**
 * From oldest to newest, so that only the last one kept is overwritten. A missing number (after a
 * kill) absorbs the shift: the files above it stay.
 */
const shift = (path: string, files: number): void => {
  const taken = new Set(listRotatedSync(path))
  let free = 1
  while (free < files && taken.has(free)) free++
  for (let number = free - 1; number >= 1; number--) {
    move(rotatedPath(path, number), rotatedPath(path, number + 1))
  }
  move(path, rotatedPath(path, 1))
}

const move = (from: string, to: string): void => {
  try {
    renameSync(from, to)
  } catch (thrown) {
    // Deleted by hand a moment ago, so there is nothing to keep.
    if (!isMissing(thrown)) throw thrown
  }
}
