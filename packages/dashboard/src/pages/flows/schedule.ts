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

/** One known time on the axis. */
export const lookAheadTo = (nextMs: number, nowMs: number, lengthMs: number): Ahead => {
  const at = (nextMs - nowMs) / lengthMs
  return { nextMs, moments: at >= 0 && at <= 1 ? [at] : [], isBand: false }
}
