import { StewardError } from '@steward/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBudget, type Reservation } from './budget.ts'

const nothing = { run: 0, flow: 0, day: 0 }

describe('createBudget', () => {
  it('refuses a call that could exceed the limit, and names the scope', () => {
    const budget = createBudget({ limits: { perDayUsd: 1 }, spent: { ...nothing, day: 0.9 } })
    expect(() => budget.reserve(0.2)).toThrow(
      'the day budget of 1 USD would be exceeded: 0.9 spent, next call up to 0.2',
    )
    expect(budget.reserve(0.1)).toEqual({ maxCost: 0.1 })
  })

  it('counts calls in progress, and returns what they did not use', () => {
    const budget = createBudget({ limits: { perRunUsd: 1 }, spent: nothing })
    const first = budget.reserve(0.6)
    expect(() => budget.reserve(0.6)).toThrow(StewardError)
    budget.settle(first, 0.1)
    expect(() => budget.reserve(0.6)).not.toThrow()
  })

  it('counts each scope separately', () => {
    const limits = { perRunUsd: 1, perFlowUsd: 2, perDayUsd: 3 }
    const scopeOf = (spent: typeof nothing) => {
      try {
        createBudget({ limits, spent }).reserve(0.5)
        return 'none'
      } catch (error) {
        return error instanceof StewardError ? error.details.scope : error
      }
    }
    expect(scopeOf({ run: 0.5, flow: 1.5, day: 2.5 })).toBe('none')
    expect(scopeOf({ run: 0.6, flow: 0, day: 0 })).toBe('run')
    expect(scopeOf({ run: 0, flow: 1.6, day: 0 })).toBe('flow')
    expect(scopeOf({ run: 0, flow: 0, day: 2.6 })).toBe('day')
  })

  it('allows calls that cost nothing or have no known price', () => {
    const budget = createBudget({ limits: { perRunUsd: 1 }, spent: { ...nothing, run: 5 } })
    expect(() => budget.reserve(0)).not.toThrow()
    expect(() => budget.reserve(null)).not.toThrow()
  })

  it('settles a reservation once', () => {
    const budget = createBudget({ limits: { perRunUsd: 1 }, spent: nothing })
    const reservation = budget.reserve(0.5)
    budget.settle(reservation, 0.5)
    budget.settle(reservation, 0.5)
    expect(() => budget.reserve(0.5)).not.toThrow()
  })

  it('never lets settled calls exceed the limit, in any order', () => {
    const step = fc.record({ reserve: fc.boolean(), cost: fc.integer({ min: 1, max: 40 }) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const budget = createBudget({ limits: { perRunUsd: 100 }, spent: nothing })
        const open: Reservation[] = []
        let paid = 0
        for (const { reserve, cost } of steps) {
          if (reserve) {
            try {
              open.push(budget.reserve(cost))
            } catch (error) {
              expect(error).toMatchObject({ code: 'budget_exceeded' })
            }
          } else {
            const reservation = open.shift()
            if (reservation === undefined) continue
            budget.settle(reservation, reservation.maxCost)
            paid += reservation.maxCost
          }
        }
        expect(paid).toBeLessThanOrEqual(100)
      }),
    )
  })
})
