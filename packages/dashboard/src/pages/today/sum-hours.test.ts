import type { UsageReport } from '@steward/contract'
import { expect, it } from 'vitest'
import { sumHours } from './sum-hours.ts'

const NOON = new Date(2026, 2, 7, 12, 30).getTime()
const NOTHING = {
  ...{ input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 },
  ...{ cost_usd: null, unpriced_calls: 0, calls: 1, sessions: 1 },
}
const row = (at: string, key: string, reported_usd: number, computed_usd: number) => ({
  ...NOTHING,
  ...{ at, key, reported_usd, computed_usd },
})

it('adds the assistants of each hour and leaves out future hours', () => {
  const series: UsageReport['series'] = [
    row('2026-03-07T05:00', 'claude', 0.5, 0),
    row('2026-03-07T05:00', 'codex', 0, 0.25),
    row('2026-03-07T12:00', 'claude', 1, 0),
    row('2026-03-06T23:00', 'claude', 9, 0),
  ]
  const hours = sumHours(series, NOON)
  expect(hours).toHaveLength(13)
  expect(hours[5]).toEqual({ atMs: new Date(2026, 2, 7, 5).getTime(), value: 0.75 })
  expect(hours[12]?.value).toBe(1)
  expect(hours.reduce((sum, { value }) => sum + value, 0)).toBe(1.75)
})
