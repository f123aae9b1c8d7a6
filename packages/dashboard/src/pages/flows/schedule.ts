const MINUTE_MS = 60_000

/**
 * Time is divided into slots of the interval from the epoch on, as in workers; returns the start of
 * the next one.
 */
export const nextRunAt = (intervalMinutes: number, nowMs: number): number => {
  const slotMs = intervalMinutes * MINUTE_MS
  return (Math.floor(nowMs / slotMs) + 1) * slotMs
}

/** Runs of one flow on a time axis: as points, or as a band if they are too close together. */
export interface Ahead {
  nextMs: number
  /** 0 to 1 of the shown time. */
  moments: number[]
  isBand: boolean
}

/** Points closer than this fraction of the axis would touch. */
const NEAREST = 0.025

export const lookAhead = (intervalMinutes: number, nowMs: number, lengthMs: number): Ahead => {
  const nextMs = nextRunAt(intervalMinutes, nowMs)
  const stepMs = intervalMinutes * MINUTE_MS
  if (stepMs / lengthMs < NEAREST) return { nextMs, moments: [], isBand: true }
  const count = Math.max(0, Math.floor((nowMs + lengthMs - nextMs) / stepMs) + 1)
  const moments = Array.from({ length: count }, (_, n) => (nextMs + n * stepMs - nowMs) / lengthMs)
  return { nextMs, moments, isBand: false }
}

/** `every 5 min`, `every hour`, `every 6 h`, `every day`. */
export const describeInterval = (minutes: number): string => {
  const [count, unit] =
    minutes % 1440 === 0
      ? [minutes / 1440, 'day']
      : minutes % 60 === 0
        ? [minutes / 60, 'h']
        : [minutes, 'min']
  if (minutes === 60) return 'every hour'
  if (unit !== 'day') return `every ${count} ${unit}`
  return count === 1 ? 'every day' : `every ${count} days`
}
