import type { ChannelName, NotificationKind, Settings } from '@steward/contract'

export type QuietHours = NonNullable<Settings['notifications']['quietHours']>

/** The hours alone, for whoever is not a channel. */
type Hours = Pick<QuietHours, 'from' | 'to' | 'timezone'>

/** These are told at any hour. */
const NEVER_HELD: ReadonlySet<NotificationKind | null> = new Set(['error', 'security'])
const MINUTE_MS = 60_000
/** Longer than a day: daylight saving may skip the only minutes that are not quiet. */
const LOOK_MINUTES = 2 * 24 * 60
/** No notice is held for longer. */
export const LONGEST_HOLD_MS = LOOK_MINUTES * MINUTE_MS

/** Until when a notice waits for the end of quiet hours; 0 when it need not. */
export const holdUntil = (
  kind: NotificationKind | null,
  channel: ChannelName,
  atMs: number,
  hours: QuietHours | undefined,
): number => {
  if (hours === undefined || NEVER_HELD.has(kind) || !hours.channels.includes(channel)) return 0
  return isQuietAt(atMs, hours) ? endOfQuiet(atMs, hours) : 0
}

/** The first minute that is not quiet: looked for on the clock, which daylight saving may move. */
const endOfQuiet = (atMs: number, hours: Hours): number => {
  const thisMinute = Math.floor(atMs / MINUTE_MS)
  for (let minutes = 1; minutes <= LOOK_MINUTES; minutes++) {
    const laterMs = (thisMinute + minutes) * MINUTE_MS
    if (!isQuietAt(laterMs, hours)) return laterMs
  }
  return atMs
}

/** Whether it is quiet at an instant; hours that end before they begin go over midnight. */
export const isQuietAt = (atMs: number, hours: Hours | undefined): boolean => {
  if (hours === undefined || hours.from === hours.to) return false
  const time = clockTimeAt(atMs, hours.timezone)
  return hours.from < hours.to
    ? time >= hours.from && time < hours.to
    : time >= hours.from || time < hours.to
}

/** `22:30` as a clock on the wall shows it, daylight saving and all. */
const clockTimeAt = (atMs: number, timezone: string | undefined): string =>
  clockOf(timezone).format(atMs)

const clocks = new Map<string | undefined, Intl.DateTimeFormat>()

const clockOf = (timezone: string | undefined): Intl.DateTimeFormat => {
  const known = clocks.get(timezone)
  if (known !== undefined) return known
  const clock = new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    ...(isTimezone(timezone) ? { timeZone: timezone } : {}),
  })
  clocks.set(timezone, clock)
  return clock
}

/** A name nobody knows is said in health; the machine's own zone is used meanwhile. */
export const isTimezone = (timezone: string | undefined): boolean => {
  if (timezone === undefined) return false
  try {
    new Intl.DateTimeFormat('en-GB', { timeZone: timezone })
    return true
  } catch (thrown) {
    if (thrown instanceof RangeError) return false
    throw thrown
  }
}
