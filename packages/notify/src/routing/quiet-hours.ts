import type { ChannelName, NotificationKind, Settings } from '@steward/contract'

export type QuietHours = NonNullable<Settings['notifications']['quietHours']>

/** The hours without the channels. */
type Hours = Pick<QuietHours, 'from' | 'to' | 'timezone'>

/** Sent at any hour. */
const NEVER_HELD: ReadonlySet<NotificationKind | null> = new Set(['error', 'security'])
const MINUTE_MS = 60_000
/** Longer than a day, because daylight saving may skip the only minutes that are not quiet. */
const LOOK_MINUTES = 2 * 24 * 60
/** The longest hold of a notice. */
export const LONGEST_HOLD_MS = LOOK_MINUTES * MINUTE_MS

/** The end of the hold for quiet hours; 0 if none. */
export const holdUntil = (
  kind: NotificationKind | null,
  channel: ChannelName,
  atMs: number,
  hours: QuietHours | undefined,
): number => {
  if (hours === undefined || NEVER_HELD.has(kind) || !hours.channels.includes(channel)) return 0
  return isQuietAt(atMs, hours) ? endOfQuiet(atMs, hours) : 0
}

/** The first minute that is not quiet, searched on the wall clock because of daylight saving. */
const endOfQuiet = (atMs: number, hours: Hours): number => {
  const thisMinute = Math.floor(atMs / MINUTE_MS)
  for (let minutes = 1; minutes <= LOOK_MINUTES; minutes++) {
    const laterMs = (thisMinute + minutes) * MINUTE_MS
    if (!isQuietAt(laterMs, hours)) return laterMs
  }
  return atMs
}

/** Whether an instant is in quiet hours; hours that end before they start span midnight. */
export const isQuietAt = (atMs: number, hours: Hours | undefined): boolean => {
  if (hours === undefined || hours.from === hours.to) return false
  const time = clockTimeAt(atMs, hours.timezone)
  return hours.from < hours.to
    ? time >= hours.from && time < hours.to
    : time >= hours.from || time < hours.to
}

/** `22:30` on the wall clock, including daylight saving. */
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

/** An unknown name is reported in health; the machine's zone is used meanwhile. */
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
