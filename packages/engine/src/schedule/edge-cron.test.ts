import { flowSchedule } from '@steward/contract'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { nextTime } from '../cron/cron-times.ts'
import { parseCron } from '../cron/parse-cron.ts'
import { edgeCronOf, isEdgeDue, meanMinutesOf } from './edge-cron.ts'
import { describeTiming, timingOf } from './flow-timing.ts'
import { firingsBetween } from './next-firing.ts'

const DAY_MS = 86_400_000
const cronOf = (schedule: object) => edgeCronOf(flowSchedule.parse(schedule)).cron

it('writes the worker’s cron in UTC, with the hours of summer and winter time', () => {
  expect(cronOf({ intervalMinutes: 5 })).toBe('*/5 * * * *')
  expect(cronOf({ every: '6h' })).toBe('0 */6 * * *')
  expect(cronOf({ at: '07:00' })).toBe('0 7 * * *')
  expect(cronOf({ at: '07:00', timezone: 'Europe/Berlin' })).toBe('0 5,6 * * *')
  expect(cronOf({ at: '07:15', days: 'mon', timezone: 'Asia/Kolkata' })).toBe('45 1 * * *')
  expect(cronOf({ every: '1d', timezone: 'America/New_York' })).toBe('0 4,5 * * *')
  expect(cronOf({ cron: '*/30 * 1 * *', timezone: 'Europe/Berlin' })).toBe('0,30 * * * *')
})

it('describes schedules in words', () => {
  const words = (schedule: object) => describeTiming(flowSchedule.parse(schedule))
  expect(words({ intervalMinutes: 60 })).toBe('every hour')
  expect(words({ every: '2d', timezone: 'UTC' })).toBe('every 2 days at 00:00 (UTC)')
  expect(words({ at: '07:00', days: 'sat,sun' })).toBe('every Sunday, Saturday at 07:00')
  expect(words({ cron: '*/7 3 * * *' })).toBe('by cron */7 3 * * *')
})

it('estimates the mean time between runs', () => {
  const mean = (schedule: object) => meanMinutesOf(flowSchedule.parse(schedule))
  expect(mean({ intervalMinutes: 7 })).toBe(7)
  expect(mean({ at: '07:00' })).toBe(1440)
  expect(mean({ at: '07:00', days: 'mon' })).toBe(7 * 1440)
})

const schedule = fc.record({
  timing: fc.oneof(
    fc.record({
      at: fc
        .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
        .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':')),
      days: fc.constantFrom('mon-sun', 'mon-fri', 'sat,sun', 'sun'),
    }),
    fc.record({ every: fc.constantFrom('1d', '2d') }),
    fc.record({ cron: fc.constantFrom('30 2 * * *', '15 */4 * * 1-5', '0 1,2,3 1,15 * *') }),
  ),
  timezone: fc.constantFrom('Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'UTC'),
})

it('starts a flow on the edge once per scheduled time, also across clock changes', () => {
  fc.assert(
    fc.property(schedule, fc.integer({ min: 0, max: 330 }), ({ timing, timezone }, day) => {
      const parsed = flowSchedule.parse({ ...timing, timezone })
      const fromMs = Date.UTC(2026, 0, 1 + day)
      const untilMs = fromMs + 35 * DAY_MS
      const read = parseCron(edgeCronOf(parsed).cron)
      if (!read.ok) throw read.error
      let last: Date | null = new Date(fromMs)
      const started: number[] = []
      for (
        let tick = nextTime(read.value, new Date(fromMs));
        tick;
        tick = nextTime(read.value, tick)
      ) {
        if (tick.getTime() > untilMs) break
        if (!isEdgeDue(parsed, last, tick)) continue
        last = tick
        started.push(tick.getTime())
      }
      const range = { afterMs: fromMs, untilMs, limit: 1000 }
      const { times } = firingsBetween(timingOf(parsed), range, timezone)
      expect(started.length).toBe(times.length)
      // Only a time that clocks skip is started later, at the first tick after the change.
      for (const [index, at] of started.entries()) {
        const lateMs = at - (times[index] ?? 0)
        expect(lateMs).toBeGreaterThanOrEqual(0)
        expect(lateMs).toBeLessThan(3_600_000)
      }
    }),
    { numRuns: 60 },
  )
})
