import type { SetTimer } from '../server/module-runner.ts'

/** A clock that the test advances. */
export const createVirtualClock = (startMs = 0) => {
  let nowMs = startMs
  let count = 0
  const waiting = new Map<number, { dueMs: number; action: () => void }>()
  const setTimer: SetTimer = (delayMs, action) => {
    const id = count++
    waiting.set(id, { dueMs: nowMs + delayMs, action })
    return () => {
      waiting.delete(id)
    }
  }
  /** Runs the next due timer; false if there is none. */
  const runNext = (untilMs: number): boolean => {
    const next = [...waiting]
      .filter(([, { dueMs }]) => dueMs <= untilMs)
      .toSorted(([a, one], [b, other]) => one.dueMs - other.dueMs || a - b)[0]
    if (next === undefined) return false
    const [id, { dueMs, action }] = next
    waiting.delete(id)
    nowMs = dueMs
    action()
    return true
  }
  return {
    setTimer,
    now: () => nowMs,
    pending: () => waiting.size,
    /** Advances time immediately. */
    advance: (ms: number): void => {
      const untilMs = nowMs + ms
      while (runNext(untilMs));
      nowMs = untilMs
    },
    /** Advances time; the work of each timer runs before the next timer. */
    advanceInTurns: async (ms: number): Promise<void> => {
      await settle()
      const untilMs = nowMs + ms
      while (runNext(untilMs)) await settle()
      nowMs = untilMs
      await settle()
    },
  }
}

/** Lets all work finish that only waits for this process. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
