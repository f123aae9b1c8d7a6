/** ISO-8601 with a time of day; the platform's own parser would take `hello 5` for a date. */
const ISO = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(Z|[+-]\d\d(?::?\d\d)?)?$/i

/** Milliseconds since 1970 of an ISO timestamp, whatever its offset; nothing when it is none. */
export const instantOf = (timestamp: string): number | undefined => {
  if (!ISO.test(timestamp)) return undefined
  const instantMs = Date.parse(timestamp.replace(',', '.'))
  return Number.isNaN(instantMs) ? undefined : instantMs
}

/** Whether it names its timezone; without one it means local time. */
export const hasZone = (timestamp: string): boolean => ISO.exec(timestamp)?.[1] !== undefined
