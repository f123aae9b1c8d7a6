import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { atMost } from './at-most.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

it('works at once, then once for all requests of a period, and not after its end', () => {
  let count = 0
  const { ask, end } = atMost(1000, () => {
    count += 1
  })
  ask()
  expect(count).toBe(1)
  ask()
  ask()
  expect(count).toBe(1)
  vi.advanceTimersByTime(1000)
  expect(count).toBe(2)
  vi.advanceTimersByTime(5000)
  expect(count).toBe(2)
  ask()
  ask()
  end()
  vi.advanceTimersByTime(5000)
  expect(count).toBe(3)
})

it('works for every request without a period', () => {
  let count = 0
  const { ask } = atMost(0, () => {
    count += 1
  })
  ask()
  ask()
  expect(count).toBe(2)
})
