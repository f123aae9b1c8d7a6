import type { UsageReport } from '@steward/contract'

const HOUR_MS = 3_600_000

/** The cost of each hour from the beginning of the day to now, all assistants together. */
export const sumHours = (
  series: UsageReport['series'],
  nowMs: number,
): Array<{ atMs: number; value: number }> => {
  const first = new Date(nowMs).setHours(0, 0, 0, 0)
  const count = Math.floor((nowMs - first) / HOUR_MS) + 1
  const hours = Array.from({ length: count }, (_, hour) => ({
    atMs: first + hour * HOUR_MS,
    value: 0,
  }))
  for (const { at, reported_usd, computed_usd } of series) {
    // Local time without a zone.
    const hour = hours[Math.floor((Date.parse(at) - first) / HOUR_MS)]
    if (hour !== undefined) hour.value += reported_usd + computed_usd
  }
  return hours
}
