/** A `Retry-After` header in milliseconds from now: seconds, whole or decimal, or an HTTP date. */
export const parseRetryAfter = (value: string | null, nowMs: number): number | undefined => {
  const text = value?.trim() ?? ''
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Number(text) * 1000
  const time = parseHttpDate(text)
  return time === undefined ? undefined : Math.max(0, time - nowMs)
}

/** `Date.parse` reads a bare `0` or `-1`, which servers send for "expired", as a year. */
export const parseHttpDate = (value: string | null): number | undefined => {
  if (value === null || !/^[A-Za-z]{3,9},? /.test(value)) return undefined
  const time = Date.parse(value)
  return Number.isNaN(time) ? undefined : time
}
