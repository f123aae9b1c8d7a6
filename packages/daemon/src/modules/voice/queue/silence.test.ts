import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isQuietAt, judgeSilence } from './silence.ts'
import { PRIORITY } from './speech-line.ts'

const berlin = { from: '22:00', to: '07:00', timezone: 'Europe/Berlin' }

test('quiet hours go over midnight, by the clock of their zone', () => {
  expect(isQuietAt(Date.UTC(2026, 0, 5, 20, 59), berlin)).toBe(false)
  expect(isQuietAt(Date.UTC(2026, 0, 5, 21, 0), berlin)).toBe(true)
  expect(isQuietAt(Date.UTC(2026, 0, 6, 5, 59), berlin)).toBe(true)
  expect(isQuietAt(Date.UTC(2026, 0, 6, 6, 0), berlin)).toBe(false)
})

test('daylight saving moves them with the clock on the wall', () => {
  // In summer 22:00 in Berlin is 20:00 UTC.
  expect(isQuietAt(Date.UTC(2026, 6, 5, 20, 0), berlin)).toBe(true)
  expect(isQuietAt(Date.UTC(2026, 6, 5, 19, 59), berlin)).toBe(false)
  expect(isQuietAt(Date.UTC(2026, 6, 6, 5, 0), berlin)).toBe(false)
})

test('hours inside a day, hours of no length, a zone nobody knows', () => {
  const noon = Date.UTC(2026, 0, 5, 12, 0)
  expect(isQuietAt(noon, { from: '11:00', to: '13:00', timezone: 'UTC' })).toBe(true)
  expect(isQuietAt(noon, { from: '13:00', to: '14:00', timezone: 'UTC' })).toBe(false)
  expect(isQuietAt(noon, { from: '12:00', to: '12:00', timezone: 'UTC' })).toBe(false)
  expect(() => isQuietAt(noon, { from: '11:00', to: '13:00', timezone: 'Mars/Base' })).not.toThrow()
})

test('every instant is in exactly one of two hours that complete each other', () => {
  const time = fc
    .tuple(fc.nat(23), fc.nat(59))
    .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`)
  fc.assert(
    fc.property(fc.nat(4e12), time, time, (atMs, from, to) => {
      fc.pre(from !== to)
      const timezone = 'America/New_York'
      expect(isQuietAt(atMs, { from, to, timezone })).toBe(
        !isQuietAt(atMs, { from: to, to: from, timezone }),
      )
    }),
  )
})

test('who may break a silence', () => {
  const night = Date.UTC(2026, 0, 5, 23, 0)
  const quiet = { nowMs: night, mutedUntilMs: 0, quietHours: berlin }
  const muted = { nowMs: night, mutedUntilMs: night + 1, quietHours: undefined }
  const verdicts = (state: Parameters<typeof judgeSilence>[1]) =>
    [PRIORITY.security, PRIORITY.error, PRIORITY.normal].map((priority) =>
      judgeSilence({ priority }, state),
    )
  expect(verdicts(quiet)).toEqual(['speak', 'quiet_hours', 'quiet_hours'])
  expect(verdicts(muted)).toEqual(['wait', 'wait', 'muted'])
  expect(verdicts({ ...muted, mutedUntilMs: night })).toEqual(['speak', 'speak', 'speak'])
})
