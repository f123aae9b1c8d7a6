import { expect, it } from 'vitest'
import { lookAhead, lookAheadTo, nextRunAt } from './schedule.ts'

const NOW = Date.parse('2026-11-15T10:20:30Z')
const HOUR_MS = 3_600_000

it('finds the next slot, counted from the epoch', () => {
  const next = (minutes: number) => new Date(nextRunAt(minutes, NOW)).toISOString()
  expect(next(5)).toBe('2026-11-15T10:25:00.000Z')
  expect(next(60)).toBe('2026-11-15T11:00:00.000Z')
  expect(next(1440)).toBe('2026-11-16T00:00:00.000Z')
})

it('starts the slot after one that begins now', () => {
  const noon = Date.parse('2026-11-15T12:00:00Z')
  expect(nextRunAt(60, noon)).toBe(noon + HOUR_MS)
})

it('lays runs on an axis, and draws a band where they would touch', () => {
  const start = Date.parse('2026-11-15T10:00:00Z')
  expect(lookAhead(60, start, 4 * HOUR_MS)).toEqual({
    nextMs: start + HOUR_MS,
    moments: [0.25, 0.5, 0.75, 1],
    isBand: false,
  })
  expect(lookAhead(5, start, 4 * HOUR_MS)).toMatchObject({ moments: [], isBand: true })
  expect(lookAhead(1440, start, 4 * HOUR_MS)).toMatchObject({ moments: [], isBand: false })
})

it('lays one known time on the axis if it is near enough', () => {
  const at = (ms: number) => lookAheadTo(NOW + ms, NOW, 4 * HOUR_MS).moments
  expect(at(HOUR_MS)).toEqual([0.25])
  expect(at(5 * HOUR_MS)).toEqual([])
  expect(at(-1)).toEqual([])
})
