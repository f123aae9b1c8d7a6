import { setTimeout as sleepFor } from 'node:timers/promises'
import { StewardError } from '@steward/contract'
import { holdLock, type Lock } from './lock.ts'

export interface WithLockOptions {
  /** How long to wait for another holder before giving up with `timeout`. */
  waitMs: number
  sleep?: (delayMs: number) => Promise<unknown>
}

const FIRST_DELAY_MS = 2
const LONGEST_DELAY_MS = 100

/** Runs `work` while holding the lock at `path`, waiting for other holders, and frees it whatever happens. */
export const withLock = async <T>(
  path: string,
  work: () => Promise<T> | T,
  { waitMs, sleep = sleepFor }: WithLockOptions,
): Promise<T> => {
  const lock = await waitForLock(path, waitMs, sleep)
  try {
    return await work()
  } finally {
    lock.release()
  }
}

const waitForLock = async (
  path: string,
  waitMs: number,
  sleep: (delayMs: number) => Promise<unknown>,
): Promise<Lock> => {
  let waitedMs = 0
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS)) {
    const lock = holdLock(path)
    if (lock !== undefined) return lock
    if (waitedMs >= waitMs) {
      throw new StewardError('timeout', {
        subject: `waiting for the lock ${path}`,
        limitMs: waitMs,
      })
    }
    // Random, so that several who wait do not knock in step.
    const pauseMs = Math.min(delayMs * (0.5 + Math.random() / 2), waitMs - waitedMs)
    await sleep(pauseMs)
    waitedMs += pauseMs
  }
}
