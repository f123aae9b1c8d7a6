import { setTimeout as sleepFor } from 'node:timers/promises'
import { StewardError } from '@steward/contract'
import { type Lock, requestLock } from './lock.ts'

export interface WithLockOptions {
  /** How long to wait for another holder before throwing `timeout`. */
  waitMs: number
  sleep?: (delayMs: number) => Promise<unknown>
}

const FIRST_DELAY_MS = 10
const SHORTEST_DELAY_MS = 2
/** After this much waiting, pauses are half as long. */
const HALF_LIFE_MS = 100

/**
 * Runs `work` while holding the lock at `path`, waits for other holders, and always releases it.
 */
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
  const request = requestLock(path)
  let waitedMs = 0
  try {
    for (;;) {
      const lock = request.take()
      if (lock !== undefined) return lock
      if (waitedMs >= waitMs) break
      const pauseMs = Math.min(nextPauseMs(waitedMs), waitMs - waitedMs)
      await sleep(pauseMs)
      waitedMs += pauseMs
    }
  } catch (thrown) {
    request.close()
    throw thrown
  }
  request.close()
  throw new StewardError('timeout', { subject: `waiting for the lock ${path}`, limitMs: waitMs })
}

/**
 * Longer waiters retry more often, so that newcomers and the last holder do not starve them.
 * Random, so that several waiters do not retry in step.
 */
const nextPauseMs = (waitedMs: number): number => {
  const longestMs = FIRST_DELAY_MS / (1 + waitedMs / HALF_LIFE_MS)
  return Math.max(longestMs, SHORTEST_DELAY_MS) * (0.5 + Math.random() / 2)
}
