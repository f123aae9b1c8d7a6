import { priceCall } from '@steward/models'
import { describe, expect, test } from 'vitest'
import { EMPTY_SUMMARY } from '../../log/summary.ts'
import { costOfSession, isOverBudget, usageOfSession } from './session-cost.ts'

const NONE = { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 }
const MILLION = 1_000_000
const DOLLAR = 1_000_000_000
const budget = (amount: string) =>
  ({ type: 'limit', max_list_cost: { amount, currency: 'USD' } }) as const

describe('the cost of a call', () => {
  test.each([
    ['input', { input: MILLION }, 2],
    ['output', { output: MILLION }, 10],
    ['tokens read from the cache', { cacheRead: MILLION }, 0.1],
    ['tokens cached for five minutes', { cacheWrite5m: MILLION }, 2.5],
    ['tokens cached for an hour', { cacheWrite1h: MILLION }, 4],
  ])('%s', (_, tokens, dollars) => {
    expect(priceCall('claude-sonnet-5-5', { ...NONE, ...tokens })).toBe(dollars * DOLLAR)
    expect(priceCall('claude-sonnet-5-5-20261001', { ...NONE, ...tokens })).toBe(dollars * DOLLAR)
  })

  test('a long prompt costs more if the vendor says so, and an unknown model has no price', () => {
    expect(priceCall('claude-haiku-5-5', { ...NONE, input: 50_000, cacheRead: 60_000 })).toBe(
      (50_000 + 6000) * 0.5 * 1000,
    )
    expect(priceCall('my-own', NONE)).toBeNull()
    expect(priceCall('toString', NONE)).toBeNull()
  })
})

describe('the cost of a session', () => {
  test('eight cents per hour of running time, to the millisecond', () => {
    const summary = { ...EMPTY_SUMMARY, activeMs: 1_800_000, runningSinceMs: 5000 }
    expect(costOfSession(summary, 5000 + 1_800_000)).toMatchObject({
      activeMs: 3_600_000,
      activeNanoDollars: 0.08 * DOLLAR,
    })
    expect(costOfSession({ ...EMPTY_SUMMARY, activeMs: 45 }, 0).activeNanoDollars).toBe(1000)
    // A clock that moved backwards does not reduce the active time.
    expect(costOfSession(summary, 0).activeMs).toBe(1_800_000)
  })

  test('rounds cents up', () => {
    const summary = { ...EMPTY_SUMMARY, tokenNanoDollars: 1, inputTokens: 3 }
    expect(usageOfSession(summary, 0)).toMatchObject({
      input_tokens: 3,
      list_cost: { amount: '1', currency: 'USD' },
      active_seconds: 0,
    })
    expect(usageOfSession(EMPTY_SUMMARY, 0).list_cost?.amount).toBe('0')
  })

  test('states no cost if a model without a known price was called', () => {
    const summary = { ...EMPTY_SUMMARY, activeMs: 1000, unpriced: true }
    expect(usageOfSession(summary, 0).list_cost).toBeUndefined()
  })

  test('a budget is reached at its last cent, and immediately by a model without a price', () => {
    const spent = (tokenNanoDollars: number) => ({ ...EMPTY_SUMMARY, tokenNanoDollars })
    expect(isOverBudget(spent(DOLLAR - 1), budget('100'), 0)).toBe(false)
    expect(isOverBudget(spent(DOLLAR), budget('100'), 0)).toBe(true)
    expect(isOverBudget(spent(DOLLAR), null, 0)).toBe(false)
    expect(isOverBudget({ ...EMPTY_SUMMARY, unpriced: true }, budget('100'), 0)).toBe(true)
  })
})
