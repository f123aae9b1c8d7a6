import { LIMITS } from '@steward/contract'
import { type FoundSchedule, found, refuseSchedule, type WhenContext } from './found-schedule.ts'
import { nextOfDays } from './next-by-day.ts'
import type { ClockTime } from './take-times.ts'
import { DAY_PARTS, findDay, findMonth, NUMBER_WORDS } from './words.ts'
import { dayOf, formatInZone } from './zoned-time.ts'

const UNIT_SECONDS: Readonly<Record<string, number>> = { second: 1, minute: 60, hour: 3600 }
const MORNING: ClockTime = { hour: 9, minute: 0 }

/** Parses phrases for repetition; undefined for other phrases. */
export const parseRepeated = (
  phrase: string,
  times: readonly ClockTime[],
  context: WhenContext,
): FoundSchedule | undefined =>
  parseInterval(phrase, times, context) ?? parseMonthly(phrase, times) ?? parseDays(phrase, times)

const parseInterval = (
  phrase: string,
  times: readonly ClockTime[],
  context: WhenContext,
): FoundSchedule | undefined => {
  const { nowMs, zone } = context
  const match = /^(?:every|each) (?:(\S+) )?(second|minute|min|hour|day|week)s?$/.exec(
    phrase.replace(/^hourly$/, 'every hour'),
  )
  if (match === null) return undefined
  const [, word = 'one', named = ''] = match
  const count = NUMBER_WORDS.get(word) ?? (/^\d{1,6}$/.test(word) ? Number(word) : undefined)
  if (count === undefined) return undefined
  const unit = named === 'min' ? 'minute' : named
  const seconds = UNIT_SECONDS[unit]
  if (seconds === undefined) {
    if (count === 1) return unit === 'day' ? daily('*', times) : undefined
    return everyDays(count * (unit === 'week' ? 7 : 1), times, context)
  }
  if (times.length > 0) {
    return refuseSchedule(`every ${count} ${unit}s counts from now and cannot have a time of day`)
  }
  const everySeconds = Math.round(count * seconds)
  if (everySeconds < LIMITS.taskIntervalSeconds) {
    return refuseSchedule(`tasks repeat every ${LIMITS.taskIntervalSeconds} seconds at most`)
  }
  return found({ everySeconds, from: formatInZone(nowMs, zone) })
}

const MOST_DAYS = 366

/** Starts at the next occurrence of the wall time. */
const everyDays = (
  days: number,
  times: readonly ClockTime[],
  { nowMs, zone }: WhenContext,
): FoundSchedule => {
  const [given = MORNING, ...others] = times
  if (others.length > 0) return refuseSchedule('an interval of days has exactly one time of day')
  if (!Number.isInteger(days) || days < 1 || days > MOST_DAYS) {
    return refuseSchedule(`days are counted whole, 1 to ${MOST_DAYS}`)
  }
  const time = formatTime(given)
  const today = dayOf(nowMs, zone)
  const firstMs = nextOfDays({ everyDays: 1, fromDay: today, time }, nowMs, zone)
  return found({ everyDays: days, fromDay: dayOf(firstMs, zone), time })
}

const formatTime = ({ hour, minute }: ClockTime): string =>
  [hour, minute].map((part) => String(part).padStart(2, '0')).join(':')

const LAST_DAY = [
  /^(?:on )?(?:the )?last day (?:of|in) (?:each|every|the) month$/,
  /^(?:every month|each month|monthly)(?: on)?(?: the)? last day$/,
  /^(?:at )?the end of (?:each|every|the) month$/,
]
const MONTHLY = [
  /^(?:on )?(?:the )?(\d{1,2})(?:st|nd|rd|th)? (?:of|in) (?:each|every|the) month$/,
  /^(?:every month|each month|monthly)(?: on)?(?: the)? (\d{1,2})(?:st|nd|rd|th)?$/,
]
const YEARLY = [
  /^(?:every year|each year|yearly|annually)(?: on)?(?: the)? (?<month>[a-z]+) (?<day>\d{1,2})(?:st|nd|rd|th)?$/,
  /^(?:every year|each year|yearly|annually)(?: on)?(?: the)? (?<day>\d{1,2})(?:st|nd|rd|th)?(?: of)? (?<month>[a-z]+)$/,
]

const parseMonthly = (phrase: string, times: readonly ClockTime[]): FoundSchedule | undefined => {
  if (LAST_DAY.some((pattern) => pattern.test(phrase))) {
    const [time = MORNING, ...others] = times
    if (others.length > 0)
      return refuseSchedule('the last day of the month has exactly one time of day')
    return found({ monthly: 'last day', time: formatTime(time) })
  }
  for (const pattern of MONTHLY) {
    const day = Number(pattern.exec(phrase)?.[1] ?? Number.NaN)
    if (Number.isNaN(day)) continue
    if (day < 1 || day > 31) return refuseSchedule(`no month has a day ${day}`)
    return atTimes(times, `${day} * *`)
  }
  for (const pattern of YEARLY) {
    const { day, month: word } = pattern.exec(phrase)?.groups ?? {}
    const month = word === undefined ? undefined : findMonth(word)
    if (month === undefined) continue
    if (Number(day) < 1 || Number(day) > 31) return refuseSchedule(`no month has a day ${day}`)
    return atTimes(times, `${Number(day)} ${month} *`)
  }
  return undefined
}

const parseDays = (phrase: string, times: readonly ClockTime[]): FoundSchedule | undefined => {
  const named = /^(daily|nightly)$/.exec(phrase)?.[1]
  if (named !== undefined) return daily('*', times, named === 'nightly' ? 'night' : undefined)
  const isRepeated = /^(?:every|each|weekly|weekdays|weekends|on weekdays|on weekends)\b/.test(
    phrase,
  )
  const words = phrase
    .replace(/^(?:every week|each week|weekly)(?: on)?\b/, '')
    .replace(/^(?:every|each|on)\b/, '')
    .split(/\s*(?:,|&|\band\b|\s)\s*/)
    .filter((word) => word !== '' && word !== 'on')
  const plural = words.length > 0 && words.every((word) => word.endsWith('days') && isDayWord(word))
  if ((!isRepeated && !plural) || words.length === 0) return undefined
  const part = words.find((word) => DAY_PARTS.has(word))
  const days = words.filter((word) => word !== part)
  if (days.length === 0) return daily('*', times, part)
  const numbers = days.map(daysOf)
  if (numbers.some((each) => each === undefined)) return undefined
  const sorted = [...new Set(numbers.flatMap((each) => each ?? []))].toSorted((a, b) => a - b)
  const list = sorted.join() === '1,2,3,4,5' ? '1-5' : sorted.length === 7 ? '*' : sorted.join()
  return daily(list, times, part)
}

const isDayWord = (word: string): boolean => daysOf(word) !== undefined

const daysOf = (word: string): number[] | undefined => {
  if (/^(?:weekdays?|workdays?)$/.test(word)) return [1, 2, 3, 4, 5]
  if (/^weekends?$/.test(word)) return [0, 6]
  if (word === 'day') return [0, 1, 2, 3, 4, 5, 6]
  const day = findDay(word)
  return day === undefined ? undefined : [day]
}

const daily = (days: string, times: readonly ClockTime[], part?: string): FoundSchedule => {
  const hour = part === undefined ? undefined : DAY_PARTS.get(part)
  const usual = hour === undefined ? MORNING : { hour, minute: 0 }
  return atTimes(times.length === 0 ? [usual] : times, `* * ${days}`)
}

const atTimes = (given: readonly ClockTime[], days: string): FoundSchedule => {
  const times = given.length === 0 ? [MORNING] : given
  const minutes = new Set(times.map(({ minute }) => minute))
  const [minute = 0] = minutes
  if (minutes.size > 1) {
    return refuseSchedule('several times of day need the same minute; create one task per time')
  }
  const hours = [...new Set(times.map(({ hour }) => hour))].toSorted((a, b) => a - b)
  return found({ cron: `${minute} ${hours.join()} ${days}` })
}
