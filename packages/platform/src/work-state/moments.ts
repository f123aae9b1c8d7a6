/** Clocks of programs on one machine may differ a little; a signal this far ahead still counts, as now. */
const SKEW_MS = 5 * 60_000

/** How this file writes a moment: ISO-8601 in UTC, so that no daylight saving can bend it. */
export const formatMoment = (atMs: number): string => new Date(atMs).toISOString()

/**
 * A moment out of `work.json` in milliseconds: ISO-8601 with any offset (a time without one is local
 * time), or milliseconds as some programs write them. Anything else is no moment.
 */
export const parseMoment = (value: unknown): number | undefined => {
  const atMs = typeof value === 'string' ? parseText(value) : value
  if (typeof atMs !== 'number' || !Number.isFinite(atMs) || atMs <= 0) return undefined
  return atMs <= LAST_MOMENT_MS ? atMs : undefined
}

/** The end of the year 9999: what lies beyond has no four-digit year to be written with. */
const LAST_MOMENT_MS = Date.UTC(10_000, 0) - 1

const ISO_START = /^\d{4}-\d{2}/

const parseText = (text: string): number | undefined =>
  ISO_START.test(text.trim()) ? Date.parse(text.trim()) : undefined

/**
 * A signal as the clock allows: one slightly ahead counts as now; one further ahead is not believed,
 * for a clock that jumped back would otherwise keep a dead session alive until time catches up.
 */
export const believe = (atMs: number | undefined, nowMs: number): number | undefined => {
  if (atMs === undefined || atMs > nowMs + SKEW_MS) return undefined
  return Math.min(atMs, nowMs)
}

/** When a signal that is not believed now will be. */
export const believedFrom = (atMs: number): number => atMs - SKEW_MS
