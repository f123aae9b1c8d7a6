import type { TaskSchedule } from '@steward/contract'
import { MONTHS, WEEKDAYS } from './words.ts'
import { formatInZone } from './zoned-time.ts'

/** A schedule in words, so that people can check the interpretation. */
export const describeSchedule = (schedule: TaskSchedule, zone: string): string => {
  if ('at' in schedule) return `once, at ${readable(schedule.at, zone)}`
  const until = schedule.until === undefined ? '' : `, until ${readable(schedule.until, zone)}`
  if ('cron' in schedule) return `${describeCron(schedule.cron)}${until}`
  if ('everyDays' in schedule) {
    const { everyDays, fromDay, time } = schedule
    return `every ${everyDays === 1 ? 'day' : `${everyDays} days`} at ${time}, from ${fromDay} on${until}`
  }
  if ('monthly' in schedule) return `on the last day of every month at ${schedule.time}${until}`
  return `every ${describeSeconds(schedule.everySeconds)} from ${readable(schedule.from, zone)} on${until}`
}

const readable = (iso: string, zone: string): string => {
  const local = formatInZone(Date.parse(iso), zone)
  return `${local.slice(0, 10)} ${local.slice(11, local.slice(17, 19) === '00' ? 16 : 19)}`
}

/** An interval in words: `hour`, `90 minutes`. */
export const describeSeconds = (seconds: number): string => {
  const [size, unit] =
    seconds % 3600 === 0 ? [3600, 'hour'] : seconds % 60 === 0 ? [60, 'minute'] : [1, 'second']
  const count = seconds / size
  return count === 1 ? unit : `${count} ${unit}s`
}

/** Common expressions in words; others unchanged. */
const describeCron = (cron: string): string => {
  const [minute = '', hours = '', day = '', month = '', weekdays = ''] = cron.split(' ')
  if (!/^\d+$/.test(minute) || !/^\d+(,\d+)*$/.test(hours)) return `by cron ${cron}`
  const days = describeDays(day, month, weekdays)
  if (days === undefined) return `by cron ${cron}`
  const times = hours.split(',').map((hour) => `${two(hour)}:${two(minute)}`)
  return `${days} at ${times.join(' and ')}`
}

const describeDays = (day: string, month: string, weekdays: string): string | undefined => {
  const isDay = /^\d+$/.test(day)
  if (isDay && weekdays === '*' && month === '*') return describeMonthDay(Number(day))
  if (isDay && weekdays === '*' && /^\d+$/.test(month)) {
    const name = MONTHS[Number(month) - 1] ?? ''
    return `every year on ${capital(name)} ${day}`
  }
  if (day !== '*' || month !== '*') return undefined
  if (weekdays === '*') return 'every day'
  if (weekdays === '1-5') return 'every weekday (Monday to Friday)'
  if (!/^\d(,\d)*$/.test(weekdays)) return undefined
  const names = weekdays.split(',').map((each) => capital(WEEKDAYS[Number(each)] ?? ''))
  return `every ${names.join(', ')}`
}

const describeMonthDay = (day: number): string => {
  const note = day > 28 ? ' (only in months that have it)' : ''
  return `on day ${day} of every month${note}`
}

const two = (text: string): string => text.padStart(2, '0')
const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1)
