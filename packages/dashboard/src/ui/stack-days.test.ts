import fc from 'fast-check'
import { expect, it } from 'vitest'
import { chooseTicks, type DayAmount, listDays, stackDays } from './stack-days.ts'

const DAYS = listDays('2026-11-15', 7)
const row = (day: string, name: string, amount: number): DayAmount => ({ day, name, amount })

it('stacks names on days, the dearest at the bottom, the last day last', () => {
  const chart = stackDays(
    [row('2026-11-15', 'B', 2), row('2026-11-15', 'A', 1), row('2026-11-14', 'C', 0.5)],
    DAYS,
    'others',
  )
  expect(chart.series).toEqual(['B', 'A', 'C'])
  expect(chart.days).toHaveLength(7)
  expect(chart.days.at(-1)).toMatchObject({
    day: '2026-11-15',
    total: 3,
    parts: [
      { name: 'B', amount: 2, from: 0 },
      { name: 'A', amount: 1 },
    ],
  })
  expect(chart.total).toBe(3.5)
  expect(chart.top).toBeGreaterThanOrEqual(3)
})

it('leaves out what has no amount, and other days', () => {
  const chart = stackDays([row('2026-11-15', 'A', 0), row('2026-01-01', 'B', 1)], DAYS, 'others')
  expect(chart).toMatchObject({ total: 0, series: ['B'] })
})

it('puts names beyond the colours together', () => {
  const rows = Array.from({ length: 9 }, (_, n) => row('2026-11-15', `N${n}`, n + 1))
  const chart = stackDays(rows, DAYS, 'others')
  expect(chart.series).toHaveLength(6)
  expect(chart.series.at(-1)).toBe('others')
  expect(chart.total).toBe(45)
})

it('lists days across the end of a month', () => {
  expect(listDays('2026-03-01', 3)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01'])
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
