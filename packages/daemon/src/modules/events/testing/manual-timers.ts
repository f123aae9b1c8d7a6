import type { SetTimer } from '../ports.ts'

/** Timers that run when the test says so. */
export const createManualTimers = (startMs = 0) => {
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
  const next = (untilMs: number) =>
    [...waiting].filter(([, { dueMs }]) => dueMs <= untilMs).toSorted(byDue)[0]
  return {
    setTimer,
    now: () => nowMs,
    pending: () => waiting.size,
    /** Lets time pass; what an action sets off gets its turn before the next one. */
    advance: async (ms: number): Promise<void> => {
      await settle()
      const untilMs = nowMs + ms
      for (let due = next(untilMs); due !== undefined; due = next(untilMs)) {
        const [id, { dueMs, action }] = due
        waiting.delete(id)
        nowMs = dueMs
        action()
        await settle()
      }
      nowMs = untilMs
      await settle()
    },
  }
}

type Waiting = [number, { dueMs: number; action: () => void }]

const byDue = ([a, first]: Waiting, [b, second]: Waiting): number =>
  first.dueMs - second.dueMs || a - b

/** Lets everything run that waits for nothing outside of this process. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
