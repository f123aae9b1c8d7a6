import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isPending } from './is-pending.ts'

const MINUTE_MS = 60_000

test('a deadline is pending until it is reached', () => {
  expect(isPending(1000 + MINUTE_MS, 1000, MINUTE_MS)).toBe(true)
  expect(isPending(1000 + MINUTE_MS, 999 + MINUTE_MS, MINUTE_MS)).toBe(true)
  expect(isPending(1000 + MINUTE_MS, 1000 + MINUTE_MS, MINUTE_MS)).toBe(false)
})

test('whatever the clock does, nothing waits for longer than the longest wait', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer(), fc.nat(), (setAtMs, nowMs, longestMs) => {
      const untilMs = setAtMs + longestMs
      if (isPending(untilMs, nowMs, longestMs)) {
        expect(isPending(untilMs, nowMs + longestMs, longestMs)).toBe(false)
      }
    }),
  )
})
