import { expect, it } from 'vitest'
import { once } from './once.ts'

it('creates a value once for concurrent and later callers', async () => {
  let calls = 0
  const value = once(async () => {
    calls += 1
    return calls
  })
  expect(await Promise.all([value(), value()])).toEqual([1, 1])
  expect(await value()).toBe(1)
})

it('tries again after a failure, which all waiting callers get', async () => {
  let calls = 0
  const value = once(async () => {
    calls += 1
    if (calls === 1) throw new Error('busy')
    return calls
  })
  const [first, second] = await Promise.allSettled([value(), value()])
  expect([first?.status, second?.status]).toEqual(['rejected', 'rejected'])
  expect(await value()).toBe(2)
})
