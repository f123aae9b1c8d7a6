/** Clocks of programs may differ slightly; a signal up to this far ahead counts as now. */
const SKEW_MS = 5 * 60_000

/** Formats a time for this file: ISO-8601 in UTC, independent of daylight saving. */
export const formatMoment = (atMs: number): string => new Date(atMs).toISOString()

/**
 * Parses a time in `work.json` to milliseconds: ISO-8601 with any offset (local time without one),
 * or milliseconds as some programs write. Anything else is invalid.
 */
export const parseMoment = (value: unknown): number | undefined => {
  const atMs = typeof value === 'string' ? parseText(value) : value
  if (typeof atMs !== 'number' || !Number.isFinite(atMs) || atMs <= 0) return undefined
  return atMs <= LAST_MOMENT_MS ? atMs : undefined
}

/** The end of the year 9999, because later years need more than four digits. */
const LAST_MOMENT_MS = Date.UTC(10_000, 0) - 1

const ISO_START = /^\d{4}-\d{2}/

const parseText = (text: string): number | undefined =>
  ISO_START.test(text.trim()) ? Date.parse(text.trim()) : undefined

/**
 * Limits a signal by the clock: slightly ahead counts as now; further ahead is ignored, because
 * otherwise a clock that jumped back would keep a dead session alive until time catches up.
 */
export const believe = (atMs: number | undefined, nowMs: number): number | undefined => {
  if (atMs === undefined || atMs > nowMs + SKEW_MS) return undefined
  return Math.min(atMs, nowMs)
}

/** When an ignored signal will count. */
export const believedFrom = (atMs: number): number => atMs - SKEW_MS
