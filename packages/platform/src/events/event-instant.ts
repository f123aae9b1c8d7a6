/** ISO-8601 with a time of day; the platform's parser would accept `hello 5` as a date. */
const ISO = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(Z|[+-]\d\d(?::?\d\d)?)?$/i

/** Milliseconds since 1970 of an ISO timestamp with any offset; undefined if invalid. */
export const instantOf = (timestamp: string): number | undefined => {
  if (!ISO.test(timestamp)) return undefined
  const instantMs = Date.parse(timestamp.replace(',', '.'))
  return Number.isNaN(instantMs) ? undefined : instantMs
}

/** Whether it has a timezone; without one it is local time. */
export const hasZone = (timestamp: string): boolean => ISO.exec(timestamp)?.[1] !== undefined
