import { LIMITS, type StewardEvent } from '@steward/contract'

/** Rows of one voting cycle, and when it ends (epoch ms). */
export interface RecordedCycle {
  endsAt: number
  events: StewardEvent[]
}

/**
 * Splits a recorded log into the cycles in which it would have been voted on. Rows without a time
 * stay with the previous ones.
 */
export const splitIntoCycles = (events: readonly StewardEvent[]): RecordedCycle[] => {
  const cycles: RecordedCycle[] = []
  const timed = events.map((event) => ({ event, at: Date.parse(event.timestamp) }))
  const firstAt = timed.find(({ at }) => !Number.isNaN(at))?.at ?? 0
  for (const { event, at } of timed) {
    const last = cycles.at(-1)
    const passed = Number.isNaN(at) ? 0 : Math.floor((at - firstAt) / LIMITS.observerCycleMs)
    const endsAt = firstAt + (Math.max(0, passed) + 1) * LIMITS.observerCycleMs
    if (last === undefined || endsAt > last.endsAt) cycles.push({ endsAt, events: [event] })
    else last.events.push(event)
  }
  return cycles
}
