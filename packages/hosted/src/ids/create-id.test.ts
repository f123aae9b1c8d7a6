import { expect, it } from 'vitest'
import { createId } from './create-id.ts'

const MANY = 5000

it('ids have their prefix and 24 characters, and none repeats', () => {
  const ids = Array.from({ length: MANY }, () => createId('sevt'))
  for (const id of ids) expect(id).toMatch(/^sevt_[0-9A-HJ-NP-Za-km-z]{24}$/)
  expect(new Set(ids).size).toBe(MANY)
})

it('every character is about as frequent as any other', () => {
  const counts = new Map<string, number>()
  for (let made = 0; made < MANY; made++)
    for (const sign of createId('sevt').slice(5)) counts.set(sign, (counts.get(sign) ?? 0) + 1)
  const expected = (MANY * 24) / counts.size
  for (const [sign, count] of counts) {
    expect(count / expected, sign).toBeGreaterThan(0.8)
    expect(count / expected, sign).toBeLessThan(1.2)
  }
})
