import { expect, it } from 'vitest'
import { countRows } from './count-hours.ts'

const NOW = Date.parse('2026-11-17T10:30:00Z')
const HOUR = 3_600_000

it('counts rows and failures by hour, the present hour last', () => {
  const rows = [
    { atMs: NOW, failed: false },
    { atMs: NOW - HOUR, failed: true },
    { atMs: NOW - HOUR - 60_000, failed: false },
    { atMs: NOW - 9 * HOUR, failed: true },
  ]
  expect(countRows(rows, NOW, 3).map(({ value, bad }) => [value, bad])).toEqual([
    [0, 0],
    [2, 1],
    [1, 0],
  ])
})
