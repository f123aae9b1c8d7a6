import type { Activity } from '@steward/contract'
import type { EventRow } from './join-events.ts'

const HOUR_MS = 3_600_000

/** Events of one hour, and how many of them failed. */
export interface HourCount {
  atMs: number
  value: number
  bad: number
}

/** The hours that the daemon counted. */
export const fromActivity = ({ hours }: Activity): HourCount[] =>
  hours.map(({ at, events, failures }) => ({
    atMs: Date.parse(at),
    value: events,
    bad: failures,
  }))

/** The shown rows by hour, up to now. */
export const countRows = (
  rows: readonly Pick<EventRow, 'atMs' | 'failed'>[],
  nowMs: number,
  count: number,
): HourCount[] => {
  const last = Math.floor(nowMs / HOUR_MS)
  const hours = Array.from({ length: count }, (_, n) => ({
    atMs: (last - count + 1 + n) * HOUR_MS,
    value: 0,
    bad: 0,
  }))
  for (const { atMs, failed } of rows) {
    const hour = hours[Math.floor(atMs / HOUR_MS) - last + count - 1]
    if (hour === undefined) continue
    hour.value += 1
    if (failed) hour.bad += 1
  }
  return hours
}
