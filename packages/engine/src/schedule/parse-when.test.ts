import type { TaskSchedule } from '@steward/contract'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { describeSchedule } from './describe-schedule.ts'
import { nextFirings } from './next-firing.ts'
import { parseWhen } from './parse-when.ts'
import { formatInZone } from './zoned-time.ts'

const ZONE = 'Europe/Berlin'
/** A Sunday. */
const NOW = Date.parse('2026-11-15T11:20:30+01:00')

const parse = (text: string): TaskSchedule => {
  const result = parseWhen(text, { nowMs: NOW, zone: ZONE })
  if (!result.ok) throw result.error
  return result.value
}
const whyNot = (text: string): string => {
  const result = parseWhen(text, { nowMs: NOW, zone: ZONE })
  return result.ok ? 'accepted' : result.error.message
}
const cronOf = (text: string) => {
  const schedule = parse(text)
  return 'cron' in schedule ? schedule.cron : JSON.stringify(schedule)
}
const atOf = (text: string) => {
  const schedule = parse(text)
  return 'at' in schedule ? schedule.at : JSON.stringify(schedule)
}

describe('repeatedly', () => {
  it.each([
    ['every weekday at 9', '0 9 * * 1-5'],
    ['Every weekday at 9am.', '0 9 * * 1-5'],
    ['at 17:30 every day', '30 17 * * *'],
    ['daily at 7:05', '5 7 * * *'],
    ['every day', '0 9 * * *'],
    ['every morning', '0 9 * * *'],
    ['every evening at 8', '0 20 * * *'],
    ['every monday at noon', '0 12 * * 1'],
    ['mondays at 9', '0 9 * * 1'],
    ['every mon, wed and fri at 6pm', '0 18 * * 1,3,5'],
    ['every weekend at midnight', '0 0 * * 0,6'],
    ['weekly on friday at 10', '0 10 * * 5'],
    ['on weekdays at 9 and 17', '0 9,17 * * 1-5'],
    ['on the 1st of each month at 8am', '0 8 1 * *'],
    ['monthly on the 15th', '0 9 15 * *'],
    ['every year on march 3 at 10', '0 10 3 3 *'],
    ['*/15 8-18 * * 1-5', '*/15 8-18 * * 1-5'],
  ])('%s', (text, cron) => expect(cronOf(text)).toBe(cron))

  it('counts intervals from now', () => {
    const from = '2026-11-15T11:20:30+01:00'
    expect(parse('every 2 hours')).toEqual({ everySeconds: 7200, from, asked: 'every 2 hours' })
    expect(parse('every half hour')).toMatchObject({ everySeconds: 1800 })
    expect(parse('every other hour')).toMatchObject({ everySeconds: 7200 })
    expect(parse('every 90 minutes')).toMatchObject({ everySeconds: 5400 })
    expect(parse('hourly')).toMatchObject({ everySeconds: 3600 })
  })
})

describe('by days and months', () => {
  it('counts days from the next time the clocks show it', () => {
    const asked = 'every 3 days at 17:30'
    expect(parse(asked)).toEqual({ everyDays: 3, fromDay: '2026-11-15', time: '17:30', asked })
    expect(parse('every 3 days')).toMatchObject({ fromDay: '2026-11-16', time: '09:00' })
    expect(parse('every other day at 8')).toMatchObject({ everyDays: 2, time: '08:00' })
    expect(parse('every two weeks at noon')).toMatchObject({ everyDays: 14, time: '12:00' })
  })

  it.each([
    'on the last day of the month at 17:30',
    'last day of each month at 17:30',
    'monthly on the last day at 17:30',
    'at the end of every month at 17:30',
  ])('%s', (text) => expect(parse(text)).toMatchObject({ monthly: 'last day', time: '17:30' }))
})

describe('once', () => {
  it.each([
    ['tomorrow at 14:30', '2026-11-16T14:30:00+01:00'],
    ['tomorrow', '2026-11-16T09:00:00+01:00'],
    ['in 20 minutes', '2026-11-15T11:40:30+01:00'],
    ['in 2 seconds', '2026-11-15T11:20:32+01:00'],
    ['in an hour', '2026-11-15T12:20:30+01:00'],
    ['in half an hour', '2026-11-15T11:50:30+01:00'],
    ['in 3 days at 8', '2026-11-18T08:00:00+01:00'],
    ['in two weeks', '2026-11-29T11:20:30+01:00'],
    ['now', '2026-11-15T11:20:30+01:00'],
    ['at 12', '2026-11-15T12:00:00+01:00'],
    ['at 9', '2026-11-16T09:00:00+01:00'],
    ['today at 18:00', '2026-11-15T18:00:00+01:00'],
    ['tonight', '2026-11-15T21:00:00+01:00'],
    ['next monday at 9', '2026-11-16T09:00:00+01:00'],
    ['on sunday at 9', '2026-11-22T09:00:00+01:00'],
    ['on december 24 at 18:00', '2026-12-24T18:00:00+01:00'],
    ['3 march at 10', '2027-03-03T10:00:00+01:00'],
    ['2027-07-01 at 10:00', '2027-07-01T10:00:00+02:00'],
  ])('%s', (text, at) => expect(atOf(text)).toBe(at))

  it('is placed across a clock change', () => {
    const before = Date.parse('2026-10-24T12:00:00+02:00')
    const result = parseWhen('tomorrow at 12', { nowMs: before, zone: ZONE })
    expect(result.ok && result.value).toMatchObject({ at: '2026-10-25T12:00:00+01:00' })
  })
})

describe('refusals', () => {
  it.each([
    ['whenever', 'is not understood; write for example "every weekday at 9"'],
    ['', 'is not understood'],
    ['every day at 25', "'25' is not a time of day"],
    ['every day at 13pm', "'13pm' is not a time of day"],
    ['today at 9', 'is in the past: 2026-11-15T09:00:00+01:00'],
    ['every 500 days', 'days are counted whole, 1 to 366'],
    ['every half day', 'days are counted whole'],
    ['every 3 days at 9 and 17', 'exactly one time of day'],
    ['every 10 seconds', 'every 60 seconds at most'],
    ['every 2 hours at 9', 'cannot have a time of day'],
    ['on the 32nd of each month', 'no month has a day 32'],
    ['on february 30', 'there is no such day'],
    ['every day at 9:00 and 17:30', 'need the same minute'],
    ['2020-01-01 at 9', 'is in the past'],
    ['61 * * * *', 'minute: found 61'],
    ['0 0 30 2 *', 'never occurs'],
    ['every year on february 30', 'never occurs'],
    ['in 999999 weeks', 'more than ten years'],
  ])('%s', (text, reason) => expect(whyNot(text)).toContain(reason))
})

test('describes its interpretation in words', () => {
  const say = (text: string) => describeSchedule(parse(text), ZONE)
  expect(say('every weekday at 9')).toBe('every weekday (Monday to Friday) at 09:00')
  expect(say('on the 31st of each month')).toBe(
    'on day 31 of every month (only in months that have it) at 09:00',
  )
  expect(say('tomorrow at 14:30')).toBe('once, at 2026-11-16 14:30')
  expect(say('every 2 hours')).toBe('every 2 hours from 2026-11-15 11:20:30 on')
  expect(say('every mon and fri at 8')).toBe('every Monday, Friday at 08:00')
  expect(say('every 3 days at 8')).toBe('every 3 days at 08:00, from 2026-11-16 on')
  expect(say('last day of the month')).toBe('on the last day of every month at 09:00')
  expect(say('*/5 * * * *')).toBe('by cron */5 * * * *')
  const next = nextFirings(parse('every weekday at 9'), NOW, ZONE, 3)
  expect(next.map((time) => formatInZone(time, ZONE).slice(0, 16))).toEqual([
    '2026-11-16T09:00',
    '2026-11-17T09:00',
    '2026-11-18T09:00',
  ])
})

test('no text makes it throw, and every accepted text has a next firing', () => {
  const words = fc.constantFrom(
    ...'every each on at in the of month day weekday monday 1st 31 9 9:30 am pm noon and , tomorrow 2 hours minutes until __proto__ constructor toString'.split(
      ' ',
    ),
  )
  const phrase = fc.oneof(
    fc.string(),
    fc.array(words, { maxLength: 8 }).map((all) => all.join(' ')),
  )
  fc.assert(
    fc.property(phrase, (text) => {
      const result = parseWhen(text, { nowMs: NOW, zone: ZONE })
      if (result.ok) expect(nextFirings(result.value, NOW - 1, ZONE, 1)).toHaveLength(1)
      else expect(result.error.code).toBe('invalid_input')
    }),
    { numRuns: 1000 },
  )
})
