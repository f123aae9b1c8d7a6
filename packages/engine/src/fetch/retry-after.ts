/** `retry-after` in milliseconds from now: seconds, or an HTTP date. */
export const readRetryAfter = (headers: Headers, nowMs: number): number | null => {
  const text = headers.get('retry-after')?.trim() ?? ''
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Number(text) * 1000
  const time = readHttpDate(text)
  return time === null ? null : Math.max(0, time - nowMs)
}

/** `Date.parse` reads a bare `0` or `-1`, which servers send for "expired", as a year. */
export const readHttpDate = (value: string | null): number | null => {
  if (value === null || !/^[A-Za-z]{3,9},? /.test(value)) return null
  const time = Date.parse(value)
  return Number.isNaN(time) ? null : time
}
