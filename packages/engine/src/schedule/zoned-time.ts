const DAY_MS = 86_400_000
/**
 * No zone has moved its clocks by more than a day, so these two offsets are the only candidates.
 */
const AROUND_MS = 1.5 * DAY_MS

const formatters = new Map<string, Intl.DateTimeFormat>()

const formatterOf = (zone: string): Intl.DateTimeFormat => {
  const known = formatters.get(zone)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  formatters.set(zone, made)
  return made
}

/** Whether this machine's time zone data has the zone. */
export const isZone = (zone: string): boolean => {
  try {
    formatterOf(zone)
    return true
  } catch (thrown) {
    if (thrown instanceof RangeError) return false
    throw thrown
  }
}

/** The zone of this machine. */
export const systemZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/**
 * The wall time of a zone at an instant, represented as the UTC milliseconds of the same digits so
 * that arithmetic works.
 */
export const wallOf = (instantMs: number, zone: string): number => {
  const parts = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0 }
  for (const { type, value } of formatterOf(zone).formatToParts(instantMs)) {
    if (isPart(type)) parts[type] = Number(value)
  }
  const { year, month, day, hour, minute, second } = parts
  const rest = ((instantMs % 1000) + 1000) % 1000
  return Date.UTC(year, month - 1, day, hour, minute, second) + rest
}

type Part = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second'
const isPart = (type: string): type is Part =>
  ['year', 'month', 'day', 'hour', 'minute', 'second'].includes(type)

const offsetAt = (instantMs: number, zone: string): number => wallOf(instantMs, zone) - instantMs

/**
 * The instant of a wall time: the first of two if it repeats, the moment of the change if it is
 * skipped.
 */
export const instantOfWall = (wallMs: number, zone: string): number => {
  const before = offsetAt(wallMs - AROUND_MS, zone)
  const after = offsetAt(wallMs + AROUND_MS, zone)
  const shown = [wallMs - before, wallMs - after]
    .filter((instantMs) => wallOf(instantMs, zone) === wallMs)
    .toSorted((a, b) => a - b)[0]
  return shown ?? findChange(wallMs - after, wallMs - before, zone)
}

/** The first millisecond in `(fromMs, toMs]` whose offset differs from that at `fromMs`. */
const findChange = (fromMs: number, toMs: number, zone: string): number => {
  const old = offsetAt(fromMs, zone)
  let [low, high] = [fromMs, toMs]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(middle, zone) === old) low = middle
    else high = middle
  }
  return high
}

/** `2026-11-16T09:00:00+01:00`: local time with its offset. */
export const formatInZone = (instantMs: number, zone: string): string => {
  const offsetMinutes = Math.round(offsetAt(instantMs, zone) / 60_000)
  const sign = offsetMinutes < 0 ? '-' : '+'
  const size = Math.abs(offsetMinutes)
  const two = (value: number) => String(value).padStart(2, '0')
  const local = new Date(wallOf(instantMs, zone)).toISOString().slice(0, 19)
  return `${local}${sign}${two(Math.floor(size / 60))}:${two(size % 60)}`
}

/** `2026-11-16`: the local day. */
export const dayOf = (instantMs: number, zone: string): string =>
  new Date(wallOf(instantMs, zone)).toISOString().slice(0, 10)

/** The start of a local day and of the next one. */
export const boundsOfDay = (day: string, zone: string): { fromMs: number; toMs: number } => {
  const wallMs = Date.parse(`${day}T00:00:00Z`)
  return { fromMs: instantOfWall(wallMs, zone), toMs: instantOfWall(wallMs + DAY_MS, zone) }
}
