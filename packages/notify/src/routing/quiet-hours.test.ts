import fc from 'fast-check'
import { expect, test } from 'vitest'
import { holdUntil, isQuietAt } from './quiet-hours.ts'

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

test('hours inside a day, hours of no length, an unknown zone', () => {
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

test('a channel that is named waits for the end of the night; errors and security do not', () => {
  const hours = { ...berlin, channels: ['push' as const] }
  const night = Date.UTC(2026, 0, 5, 23, 0, 30)
  const morning = Date.UTC(2026, 0, 6, 6, 0)
  expect(holdUntil('taskComplete', 'push', night, hours)).toBe(morning)
  expect(holdUntil(null, 'push', night, hours)).toBe(morning)
  expect(holdUntil('error', 'push', night, hours)).toBe(0)
  expect(holdUntil('security', 'push', night, hours)).toBe(0)
  expect(holdUntil('taskComplete', 'chat', night, hours)).toBe(0)
  expect(holdUntil('taskComplete', 'push', morning, hours)).toBe(0)
  expect(holdUntil('taskComplete', 'push', night, { ...berlin, channels: [] })).toBe(0)
  expect(holdUntil('taskComplete', 'push', night, undefined)).toBe(0)
})

test('a held notice is released at the first minute that is not quiet', () => {
  const channels = ['push' as const]
  const time = fc
    .tuple(fc.nat(23), fc.nat(59))
    .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`)
  fc.assert(
    fc.property(fc.nat(4e12), time, time, (atMs, from, to) => {
      const hours = { from, to, timezone: 'America/New_York', channels }
      const untilMs = holdUntil(null, 'push', atMs, hours)
      expect(untilMs !== 0).toBe(isQuietAt(atMs, hours))
      if (untilMs === 0) return
      expect(untilMs).toBeGreaterThan(atMs)
      expect(isQuietAt(untilMs, hours)).toBe(false)
      expect(isQuietAt(untilMs - 1, hours)).toBe(true)
    }),
    { numRuns: 50 },
  )
})
