/** `retry-after` in milliseconds from now: whole or decimal seconds, or an HTTP date. */
export const parseRetryAfter = (value: string | null, now: Date): number | undefined => {
  if (value === null) return undefined
  const text = value.trim()
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000
  // Date.parse would read a bare `-5` or `2026` as a year; an HTTP date names its weekday.
  const time = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? undefined : Math.max(0, time - now.getTime())
}
