import { expect, it } from 'vitest'
import { newRunId } from './platform.ts'

const UUID_7 = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/

it('gives every run a UUID version 7 of its own', () => {
  const ids = Array.from({ length: 1000 }, () => newRunId(1_790_000_000_000))
  for (const id of ids) expect(id).toMatch(UUID_7)
  expect(new Set(ids).size).toBe(1000)
})

it('sorts run ids by time', () => {
  const times = [0, 1, 15, 4095, 65_536, 1_790_000_000_000, 1_790_000_000_001]
  const ids = times.map((time) => newRunId(time))
  expect(ids.toSorted()).toEqual(ids)
})
