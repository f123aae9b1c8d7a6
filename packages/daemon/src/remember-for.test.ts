import { expect, test } from 'vitest'
import { rememberFor } from './remember-for.ts'

test('asks once until the time is over, and then again', () => {
  const timers: (() => void)[] = []
  let asked = 0
  const ask = rememberFor(
    1000,
    (_, action) => {
      timers.push(action)
      return () => undefined
    },
    () => ++asked,
  )
  expect([ask(), ask(), asked]).toEqual([1, 1, 1])
  timers.shift()?.()
  expect([ask(), ask(), asked]).toEqual([2, 2, 2])
})
