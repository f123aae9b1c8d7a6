import { expect, it } from 'vitest'
import { chartRatings } from './chart-ratings.ts'

const row = (timestamp: string, rating: number) => ({ timestamp, rating, session_id: 's' })

it('puts ratings between the first and the last, and 10 at the top', () => {
  const chart = chartRatings([
    row('2026-11-03T00:00:00Z', 10),
    row('2026-11-01T00:00:00Z', 1),
    row('2026-11-02T00:00:00Z', 4),
  ])
  expect(chart?.points.map(({ x, y }) => [x, Math.round(y * 9)])).toEqual([
    [0, 0],
    [0.5, 3],
    [1, 9],
  ])
  expect(chart?.mean).toBe(5)
})

it('draws a single one in the middle, and skips those without a time', () => {
  expect(chartRatings([row('2026-11-01T00:00:00Z', 7), row('never', 1)])?.points).toMatchObject([
    { x: 0.5, rating: 7 },
  ])
  expect(chartRatings([])).toBeUndefined()
})
