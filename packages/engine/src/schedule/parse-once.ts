import { type FoundSchedule, found, refuseSchedule, type WhenContext } from './found-schedule.ts'
import type { ClockTime } from './take-times.ts'
import { findDay, findMonth, NUMBER_WORDS } from './words.ts'
import { formatInZone, instantOfWall, wallOf } from './zoned-time.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const UNITS_MS: Readonly<Record<string, number>> = {
  second: 1000,
  sec: 1000,
  minute: MINUTE_MS,
  min: MINUTE_MS,
  hour: 3_600_000,
  day: DAY_MS,
  week: 7 * DAY_MS,
}
const LONGEST_MS = 10 * 366 * DAY_MS

/** Parses phrases for a single time; undefined for other phrases. */
export const parseOnce = (
  phrase: string,
  times: readonly ClockTime[],
  context: WhenContext,
): FoundSchedule | undefined => {
  if (times.length > 1)
    return refuseSchedule('a one-time task has one time; create one task per time')
  return (
    parseNow(phrase, times, context) ??
    parseDelay(phrase, times, context) ??
    parseDate(phrase, times, context)
  )
}

const parseNow = (
  phrase: string,
  times: readonly ClockTime[],
  { nowMs, zone }: WhenContext,
): FoundSchedule | undefined =>
  phrase === 'now' && times.length === 0
    ? // Rounded up to the second, so that it is still in the future when read back.
      found({ at: formatInZone(Math.ceil(nowMs / 1000) * 1000, zone) })
    : undefined

const parseDelay = (
  phrase: string,
  times: readonly ClockTime[],
  { nowMs, zone }: WhenContext,
): FoundSchedule | undefined => {
  const match =
    /^in (?:about )?(\d{1,6}|[a-z]+)(?: (?:an? )?)(second|sec|minute|min|hour|day|week)s?$/.exec(
      phrase,
    )
  if (match === null) return undefined
  const [, word = '', unit = ''] = match
  const count = NUMBER_WORDS.get(word) ?? Number(word)
  if (!Number.isFinite(count)) return undefined
  const delayMs = count * (UNITS_MS[unit] ?? 0)
  if (delayMs > LONGEST_MS) return refuseSchedule('it is more than ten years away')
  const isCalendar = unit === 'day' || unit === 'week'
  if (!isCalendar) {
    if (times.length > 0) return refuseSchedule(`${phrase} cannot have a time of day`)
    return found({ at: formatInZone(Math.ceil((nowMs + delayMs) / 1000) * 1000, zone) })
  }
  const wallMs = wallOf(nowMs, zone) + delayMs
  const [time] = times
  return atWall(time === undefined ? wallMs : startOfDay(wallMs) + ofDay(time), zone)
}

const parseDate = (
  phrase: string,
  [time]: readonly ClockTime[],
  { nowMs, zone }: WhenContext,
): FoundSchedule | undefined => {
  const nowWallMs = wallOf(nowMs, zone)
  const today = startOfDay(nowWallMs)
  const timeOfDay = ofDay(time ?? { hour: 9, minute: 0 })
  if (phrase === '' || phrase === 'today') {
    if (time === undefined) return undefined
    const next = today + timeOfDay
    return atWall(phrase === '' && next <= nowWallMs ? next + DAY_MS : next, zone)
  }
  if (phrase === 'tonight' || phrase === 'this evening') {
    return atWall(today + ofDay(time ?? { hour: 21, minute: 0 }), zone)
  }
  if (phrase === 'tomorrow') return atWall(today + DAY_MS + timeOfDay, zone)
  const day = findDay(/^(?:on |next |this |on next )?([a-z]+)$/.exec(phrase)?.[1] ?? '')
  if (day !== undefined) return onWeekday(day)
  const named = findNamedDate(phrase)
  if (named === undefined) return undefined
  const year = named.year ?? new Date(today).getUTCFullYear()
  const wallMs = dateWall(year, named.month, named.day)
  if (wallMs === undefined) return refuseSchedule(`there is no such day: ${phrase}`)
  if (named.year === undefined && wallMs + timeOfDay <= nowWallMs) {
    return atWall((dateWall(year + 1, named.month, named.day) ?? wallMs) + timeOfDay, zone)
  }
  return atWall(wallMs + timeOfDay, zone)

  function onWeekday(wanted: number): FoundSchedule {
    const ahead = (wanted - new Date(today).getUTCDay() + 7) % 7
    const wallMs = today + ahead * DAY_MS + timeOfDay
    return atWall(wallMs <= nowWallMs ? wallMs + 7 * DAY_MS : wallMs, zone)
  }
}

interface NamedDate {
  year: number | undefined
  month: number
  day: number
}

const findNamedDate = (phrase: string): NamedDate | undefined => {
  const iso = /^(?:on )?(\d{4})-(\d{2})-(\d{2})$/.exec(phrase)
  if (iso !== null) return { year: Number(iso[1]), month: Number(iso[2]), day: Number(iso[3]) }
  const named =
    /^(?:on )?(?:the )?(?<month>[a-z]+) (?<day>\d{1,2})(?:st|nd|rd|th)?,?(?: (?<year>\d{4}))?$/.exec(
      phrase,
    ) ??
    /^(?:on )?(?:the )?(?<day>\d{1,2})(?:st|nd|rd|th)?(?: of)? (?<month>[a-z]+),?(?: (?<year>\d{4}))?$/.exec(
      phrase,
    )
  const { month: word = '', day, year } = named?.groups ?? {}
  const month = findMonth(word)
  if (month === undefined) return undefined
  return { month, day: Number(day), year: year === undefined ? undefined : Number(year) }
}

/** Undefined if the date does not exist. */
const dateWall = (year: number, month: number, day: number): number | undefined => {
  const wall = new Date(Date.UTC(year, month - 1, day))
  return wall.getUTCMonth() === month - 1 && wall.getUTCDate() === day ? wall.getTime() : undefined
}

const startOfDay = (wallMs: number): number => Math.floor(wallMs / DAY_MS) * DAY_MS
const ofDay = ({ hour, minute }: ClockTime): number => (hour * 60 + minute) * MINUTE_MS
const atWall = (wallMs: number, zone: string): FoundSchedule =>
  found({ at: formatInZone(instantOfWall(wallMs, zone), zone) })
