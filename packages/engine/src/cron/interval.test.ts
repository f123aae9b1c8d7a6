import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nextTime } from './cron-times.ts'
import { cronForInterval, isIntervalDue } from './interval.ts'
import { parseCron } from './parse-cron.ts'

const MINUTE_MS = 60_000

test('intervals that cron can express', () => {
  expect(cronForInterval(1)).toEqual({ cron: '* * * * *', exact: true })
  expect(cronForInterval(5)).toEqual({ cron: '*/5 * * * *', exact: true })
  expect(cronForInterval(60)).toEqual({ cron: '0 * * * *', exact: true })
  expect(cronForInterval(360)).toEqual({ cron: '0 */6 * * *', exact: true })
  expect(cronForInterval(1440)).toEqual({ cron: '0 0 * * *', exact: true })
})

test('intervals that cron cannot express get a tick that divides them', () => {
  expect(cronForInterval(7)).toEqual({ cron: '* * * * *', exact: false })
  expect(cronForInterval(45)).toEqual({ cron: '*/15 * * * *', exact: false })
  expect(cronForInterval(90)).toEqual({ cron: '*/30 * * * *', exact: false })
  expect(cronForInterval(1000)).toEqual({ cron: '*/20 * * * *', exact: false })
  expect(cronForInterval(10080)).toEqual({ cron: '0 0 * * *', exact: false })
})

test('an interval is a whole number of minutes', () => {
  for (const wrong of [0, -5, 1.5, Number.NaN]) {
    expect(() => cronForInterval(wrong)).toThrow('must be a whole number of minutes from 1')
    expect(() => isIntervalDue(wrong, null, new Date(0))).toThrow('whole number of minutes')
  }
})

test('a clock that is set back delays a flow by at most an interval', () => {
  const lastStarted = new Date('2026-05-02T12:30:00Z')
  expect(isIntervalDue(60, lastStarted, new Date('2026-05-01T12:30:00Z'))).toBe(true)
  // A clock correction of seconds must not start it twice.
  expect(
    isIntervalDue(60, new Date('2026-05-02T12:00:01Z'), new Date('2026-05-02T11:59:59Z')),
  ).toBe(false)
})

/** Simulates a scheduler for `days`, each tick delayed by `lateMs`, and lists the starts. */
const runVirtually = (
  interval: number,
  start: Date,
  days: number,
  lateMs: (tick: number) => number,
): { due: number[]; started: number[] } => {
  const cron = parseCron(cronForInterval(interval).cron)
  if (!cron.ok) throw cron.error
  const end = start.getTime() + days * 24 * 60 * MINUTE_MS
  const due: number[] = []
  const started: number[] = []
  // A run in the slot before the start, so that the first start is a scheduled one.
  let last = start
  let tick = nextTime(cron.value, start)
  for (let index = 0; tick !== undefined && tick.getTime() < end; index++) {
    const now = new Date(tick.getTime() + lateMs(index))
    if (isIntervalDue(interval, last, now)) {
      due.push(tick.getTime())
      started.push(now.getTime())
      last = now
    }
    tick = nextTime(cron.value, tick)
  }
  return { due, started }
}

const interval = fc.oneof(
  fc.integer({ min: 1, max: 120 }),
  fc.constantFrom(7, 45, 90, 360, 1000, 1440, 2880, 10080),
)
const start = fc.date({
  min: new Date('2026-01-01T00:00:00Z'),
  max: new Date('2027-01-01T00:00:00Z'),
  noInvalidDate: true,
})

test('over virtual days it fires exactly every interval, without drift', () => {
  fc.assert(
    fc.property(interval, start, (minutes, from) => {
      const days = minutes > 1000 ? 30 : 2
      const { due } = runVirtually(minutes, from, days, () => 0)
      const expected = Math.floor((from.getTime() + days * 86_400_000 - 1) / (minutes * MINUTE_MS))
      expect(due.length).toBe(expected - Math.floor(from.getTime() / (minutes * MINUTE_MS)))
      due.slice(1).forEach((time, index) => {
        expect(time - (due[index] ?? 0)).toBe(minutes * MINUTE_MS)
      })
    }),
    { numRuns: 40 },
  )
})

test('late ticks neither fire twice nor shift the next one', () => {
  const lateness = fc.array(fc.integer({ min: 0, max: 59_000 }), { minLength: 50, maxLength: 50 })
  fc.assert(
    fc.property(interval, start, lateness, (minutes, from, late) => {
      const punctual = runVirtually(minutes, from, 2, () => 0)
      const delayed = runVirtually(minutes, from, 2, (tick) => late[tick % 50] ?? 0)
      expect(delayed.due).toEqual(punctual.due)
      const slots = delayed.started.map((time) => Math.floor(time / (minutes * MINUTE_MS)))
      expect(new Set(slots).size).toBe(slots.length)
    }),
    { numRuns: 40 },
  )
})

test('a flow that never ran is due immediately, then not again in its slot', () => {
  const now = new Date('2026-01-01T00:10:00Z')
  expect(isIntervalDue(45, null, now)).toBe(true)
  expect(isIntervalDue(45, now, new Date('2026-01-01T00:14:59Z'))).toBe(false)
})
