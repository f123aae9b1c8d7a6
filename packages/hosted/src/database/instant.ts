/** A moment as the API writes it. */
export const toInstant = (ms: number): string => new Date(ms).toISOString()

export const toInstantOrNull = (ms: number | null): string | null =>
  ms === null ? null : toInstant(ms)
