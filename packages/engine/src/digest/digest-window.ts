import { type FlowDigest, LIMITS, parseDuration } from '@steward/contract'
import { dayOf } from '../schedule/zoned-time.ts'

const DAY_MS = 86_400_000

/** How a flow collects, in words. */
export const describeDigest = ({ window = 'run', order, maxItems }: FlowDigest): string => {
  const how = ['day', 'week', 'run'].includes(window) ? `one per ${window}` : `one every ${window}`
  const parts = [
    how,
    order !== undefined && `by ${order}`,
    `at most ${maxItems ?? LIMITS.digestItems} items`,
  ]
  return parts.filter(Boolean).join(', ')
}

/**
 * The window of an instant. Days and weeks are those of the zone, weeks begin on Monday, durations
 * are counted from the epoch. Undefined if every run is a window of its own.
 */
export const windowOf = (
  { window = 'run' }: Pick<FlowDigest, 'window'>,
  instantMs: number,
  zone: string,
): string | undefined => {
  if (window === 'run') return undefined
  const day = dayOf(instantMs, zone)
  if (window === 'day') return day
  if (window === 'week') {
    const dayMs = Date.parse(`${day}T00:00:00Z`)
    const sinceMonday = (new Date(dayMs).getUTCDay() + 6) % 7
    return new Date(dayMs - sinceMonday * DAY_MS).toISOString().slice(0, 10)
  }
  const length = parseDuration(window) ?? DAY_MS
  return new Date(Math.floor(instantMs / length) * length).toISOString()
}
