import { expect, test } from 'vitest'
import { describeUsage, limitOf } from './describe-usage.ts'

test('shows the known part of a cost, and never zero for an unknown price', () => {
  const paid = { cost_usd: 0.8, reported_usd: 0.5, computed_usd: 0.3 }
  expect(describeUsage(paid)).toBe('$0.80')
  expect(describeUsage({ ...paid, projected_usd: 2 })).toBe('$0.80, about $2.00 in an hour')
  expect(describeUsage({ ...paid, cost_usd: null })).toBe('at least $0.80')
  expect(describeUsage({ cost_usd: null, reported_usd: 0, computed_usd: 0 })).toBe('price unknown')
})

test('names a budget by its limit where it is clear that it is one', () => {
  expect(limitOf('the budget of $5 per day for claude')).toBe('$5 per day for claude')
})
