import type { DailySpend } from '@steward/contract'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { chartCost, chooseTicks } from './chart-cost.ts'

const NOW = Date.parse('2026-11-15T10:00:00Z')
const row = (day: string, flow: string | null, cost: number | null, tokens = 100): DailySpend => ({
  day,
  flow,
  calls: 1,
  inputTokens: tokens,
  outputTokens: 0,
  cost,
  models: [],
})

it('stacks flows on days, the dearest at the bottom, today last', () => {
  const chart = chartCost(
    [row('2026-11-15', 'F_B', 2), row('2026-11-15', 'F_A', 1), row('2026-11-14', null, 0.5)],
    'cost',
    NOW,
  )
  expect(chart.series).toEqual(['F_B', 'F_A', 'outside flows'])
  expect(chart.days).toHaveLength(7)
  expect(chart.days.at(-1)).toMatchObject({
    day: '2026-11-15',
    total: 3,
    parts: [
      { name: 'F_B', amount: 2, from: 0 },
      { name: 'F_A', amount: 1 },
    ],
  })
  expect(chart.total).toBe(3.5)
  expect(chart.top).toBeGreaterThanOrEqual(3)
})

it('counts calls without a price in tokens, and reports that they are not in dollars', () => {
  const rows = [row('2026-11-15', 'F_A', null, 500)]
  expect(chartCost(rows, 'cost', NOW)).toMatchObject({ total: 0, unpriced: 1, series: [] })
  expect(chartCost(rows, 'tokens', NOW)).toMatchObject({ total: 500, series: ['F_A'] })
})

it('puts flows beyond the colours together', () => {
  const rows = Array.from({ length: 9 }, (_, n) => row('2026-11-15', `F_${n}`, n + 1))
  const chart = chartCost(rows, 'cost', NOW)
  expect(chart.series).toHaveLength(6)
  expect(chart.series.at(-1)).toBe('other flows')
  expect(chart.total).toBe(45)
})

it('chooses ticks that hold every amount', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-6, max: 1e9, noNaN: true }), (most) => {
      const ticks = chooseTicks(most)
      expect(ticks[0]).toBe(0)
      expect((ticks.at(-1) ?? 0) * (1 + 1e-6)).toBeGreaterThanOrEqual(most)
      expect(ticks.length).toBeLessThanOrEqual(6)
    }),
  )
  expect(chooseTicks(0)).toEqual([0, 1])
})
