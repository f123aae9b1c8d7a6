import type { SetTimer } from '../set-timer.ts'

/** Time that passes when the test says so. */
export const createVirtualClock = (startMs: number) => {
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
    [...waiting]
      .filter(([, { dueMs }]) => dueMs <= untilMs)
      .toSorted(([a, one], [b, other]) => one.dueMs - other.dueMs || a - b)[0]
  return {
    setTimer,
    now: () => nowMs,
    pending: () => waiting.size,
    advance: (ms: number): void => {
      const untilMs = nowMs + ms
      for (let due = next(untilMs); due !== undefined; due = next(untilMs)) {
        const [id, { dueMs, action }] = due
        waiting.delete(id)
        nowMs = dueMs
        action()
      }
      nowMs = untilMs
    },
  }
}
