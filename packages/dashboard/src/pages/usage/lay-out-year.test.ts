import type { UsageRow } from '@steward/contract'
import { expect, it } from 'vitest'
import { layOutYear } from './lay-out-year.ts'

const row = (key: string, calls: number): UsageRow => ({
  ...{ key, calls, sessions: 1, unpriced_calls: 0, cost_usd: 1, reported_usd: 1, computed_usd: 0 },
  ...{ input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 },
})

it('lays a year out in weeks that begin on Monday', () => {
  // A Tuesday.
  const { days, weeks, months } = layOutYear([], '2026-11-17')
  expect(days).toHaveLength(365)
  expect(days.at(-1)).toMatchObject({ day: '2026-11-17', weekday: 1, level: 0 })
  expect(days[0]).toMatchObject({ day: '2025-11-18', weekday: 1, week: 0 })
  expect(weeks).toBe(53)
  expect(months).toHaveLength(12)
})

it('shades days by their calls and counts rows of days', () => {
  const calendar = layOutYear(
    [row('2026-11-17', 100), row('2026-11-16', 1), row('2026-11-10', 25)],
    '2026-11-17',
  )
  const levelOf = (day: string) => calendar.days.find((each) => each.day === day)?.level
  expect([levelOf('2026-11-17'), levelOf('2026-11-10'), levelOf('2026-11-16')]).toEqual([4, 2, 1])
  expect(calendar).toMatchObject({ activeDays: 3, longest: 2, busiest: { day: '2026-11-17' } })
})
