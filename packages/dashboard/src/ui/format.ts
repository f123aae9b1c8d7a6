const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** `4 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`: the two largest units. */
export const formatDuration = (ms: number): string => {
  const length = Math.max(0, ms)
  if (length < SECOND) return `${Math.round(length)} ms`
  if (length < 10 * SECOND) return `${(Math.floor(length / 100) / 10).toFixed(1)} s`
  if (length < MINUTE) return `${Math.floor(length / SECOND)} s`
  if (length < HOUR) return twoUnits(length, MINUTE, 'min', SECOND, 's')
  if (length < DAY) return twoUnits(length, HOUR, 'h', MINUTE, 'min')
  return twoUnits(length, DAY, 'd', HOUR, 'h')
}

const twoUnits = (ms: number, large: number, name: string, small: number, rest: string): string => {
  const whole = Math.floor(ms / large)
  const left = Math.floor((ms - whole * large) / small)
  return left === 0 ? `${whole} ${name}` : `${whole} ${name} ${left} ${rest}`
}

/** No duration below an hour is wider. */
export const WIDEST_DURATION = '00 min 00 s'
/** No relative time within a week is wider. */
export const WIDEST_RELATIVE = '00 min ago'

/** `just now`, `40 s ago`, `5 min ago`, `in 2 h`; the absolute time from a week on. */
export const formatRelative = (atMs: number, nowMs: number): string => {
  const distance = nowMs - atMs
  const size = Math.abs(distance)
  if (size < 5 * SECOND) return 'just now'
  if (size >= 7 * DAY) return formatDay(atMs)
  const [length, name] =
    size < MINUTE
      ? [size / SECOND, 's']
      : size < HOUR
        ? [size / MINUTE, 'min']
        : size < DAY
          ? [size / HOUR, 'h']
          : [size / DAY, 'd']
  const text = `${Math.floor(length)} ${name}`
  return distance < 0 ? `in ${text}` : `${text} ago`
}

const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })
const minute = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })

/** In the person's time zone and locale. */
export const formatAbsolute = (atMs: number): string => absolute.format(atMs)
export const formatDay = (atMs: number): string => day.format(atMs)
export const formatClock = (atMs: number): string => clock.format(atMs)
export const formatMinute = (atMs: number): string => minute.format(atMs)

const dated = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
})

/** `11:21 AM` today, `Nov 17, 11:21 AM` this year, `Nov 17, 2025` before. */
export const formatMoment = (atMs: number, nowMs: number): string => {
  const [at, now] = [new Date(atMs), new Date(nowMs)]
  if (at.getFullYear() !== now.getFullYear()) return formatDay(atMs)
  const isToday = at.getMonth() === now.getMonth() && at.getDate() === now.getDate()
  return isToday ? formatMinute(atMs) : dated.format(atMs)
}

/** The absolute time, and the relative one of a week. */
export const formatHint = (atMs: number, nowMs: number): string =>
  Math.abs(nowMs - atMs) >= 7 * DAY
    ? formatAbsolute(atMs)
    : `${formatAbsolute(atMs)}, ${formatRelative(atMs, nowMs)}`

const grouped = new Intl.NumberFormat(undefined)
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })

export const formatCount = (count: number): string =>
  Math.abs(count) < 10_000 ? grouped.format(count) : compact.format(count)

/** For round axis ticks: `500`, `5K`, `15K`. */
export const formatShort = (count: number): string => compact.format(count)

/** Dollars, with as many digits as the amount needs. */
export const formatCost = (usd: number): string => {
  if (usd === 0) return '$0'
  if (usd < 0.0001) return '<$0.0001'
  return `$${usd.toFixed(usd < 0.01 ? 4 : 2)}`
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB']

export const formatBytes = (bytes: number): string => {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log(Math.max(1, bytes)) / Math.log(1000)))
  const size = bytes / 1000 ** step
  return `${step > 0 && size < 10 ? size.toFixed(1) : Math.round(size)} ${UNITS[step]}`
}
