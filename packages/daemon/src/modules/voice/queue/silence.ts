import type { Settings } from '@steward/contract'
import { PRIORITY, type SpeechLine } from './speech-line.ts'

export type QuietHours = NonNullable<Settings['notifications']['quietHours']>

export interface Silence {
  nowMs: number
  mutedUntilMs: number
  quietHours: QuietHours | undefined
}

/**
 * What silence does with a line. Muted: errors and security wait for its end, the rest is skipped.
 * Quiet hours: security speaks, the rest is skipped.
 */
export const judgeSilence = (
  { priority }: Pick<SpeechLine, 'priority'>,
  { nowMs, mutedUntilMs, quietHours }: Silence,
): 'speak' | 'wait' | 'muted' | 'quiet_hours' => {
  const isQuiet = priority !== PRIORITY.security && isQuietAt(nowMs, quietHours)
  if (isQuiet) return 'quiet_hours'
  if (nowMs >= mutedUntilMs) return 'speak'
  return priority === PRIORITY.normal ? 'muted' : 'wait'
}

/** Whether it is quiet at an instant; hours that end before they begin go over midnight. */
export const isQuietAt = (atMs: number, hours: QuietHours | undefined): boolean => {
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
