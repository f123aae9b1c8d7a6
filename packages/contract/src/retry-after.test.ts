import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseRetryAfter } from './retry-after.ts'

const nowMs = Date.parse('2026-11-15T00:00:00Z')

describe('parseRetryAfter', () => {
  it.each([
    ['0', 0],
    [' 12 ', 12_000],
    ['1.5', 1500],
    ['Sun, 15 Nov 2026 00:00:30 GMT', 30_000],
    ['Sat, 14 Nov 2026 00:00:30 GMT', 0],
    ['soon', undefined],
    ['-5', undefined],
    ['2026', 2_026_000],
    ['', undefined],
    [null, undefined],
  ])('reads %j as %j', (value, expected) => {
    expect(parseRetryAfter(value, nowMs)).toBe(expected)
  })

  it('always returns a delay or undefined', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const wait = parseRetryAfter(value, nowMs)
        expect(wait === undefined || wait >= 0).toBe(true)
      }),
    )
  })
})
