import { describe, expect, it } from 'vitest'
import {
  formatBytes,
  formatCost,
  formatDuration,
  formatHint,
  formatMoment,
  formatRelative,
} from './format.ts'

describe('durations', () => {
  it.each([
    [-5, '0 ms'],
    [999, '999 ms'],
    [1000, '1.0 s'],
    [9999, '9.9 s'],
    [59_999, '59 s'],
    [60_000, '1 min'],
    [3_599_999, '59 min 59 s'],
    [7_500_000, '2 h 5 min'],
    [86_400_000 * 3 + 3_600_000 * 4, '3 d 4 h'],
  ])('%d ms is %s', (ms, text) => expect(formatDuration(ms)).toBe(text))
})

describe('relative times', () => {
  const now = Date.UTC(2026, 10, 15, 12)
  it.each([
    [0, 'just now'],
    [-4000, 'just now'],
    [40_000, '40 s ago'],
    [59_999, '59 s ago'],
    [3_600_000, '1 h ago'],
    [-7_200_000, 'in 2 h'],
    [86_400_000 * 6, '6 d ago'],
  ])('%d ms before is %s', (distance, text) =>
    expect(formatRelative(now - distance, now)).toBe(text),
  )
  it('shows the date from a week on', () => {
    expect(formatRelative(now - 86_400_000 * 7, now)).toContain('2026')
  })
})

describe('moments', () => {
  const now = new Date(2026, 10, 15, 12, 30).getTime()
  it.each([
    [new Date(2026, 10, 15, 0, 0), '12:00 AM'],
    [new Date(2026, 10, 15, 23, 59, 59), '11:59 PM'],
    [new Date(2026, 10, 14, 23, 59), 'Nov 14, 11:59 PM'],
    [new Date(2026, 9, 15, 12, 30), 'Oct 15, 12:30 PM'],
    [new Date(2025, 10, 15, 12, 30), 'Nov 15, 2025'],
  ])('%o is %s', (at, text) =>
    expect(formatMoment(at.getTime(), now).replace('\u202f', ' ')).toBe(text),
  )

  it('has the relative time of a week as a hint', () => {
    expect(formatHint(now - 60_000, now)).toMatch(/^Nov 15, 2026, .*, 1 min ago$/)
    expect(formatHint(now - 8 * 86_400_000, now)).not.toContain('ago')
  })
})

it.each([
  [0, '$0'],
  [0.00001, '<$0.0001'],
  [0.0042, '$0.0042'],
  [1.5, '$1.50'],
])('%d dollars are %s', (usd, text) => expect(formatCost(usd)).toBe(text))

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1500, '1.5 KB'],
  [25_000_000, '25 MB'],
])('%d bytes are %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text))
