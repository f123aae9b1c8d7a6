import { StewardError } from '@steward/contract'

const BUDGET_SCOPES = ['run', 'flow', 'day'] as const
export type BudgetScope = (typeof BUDGET_SCOPES)[number]

export interface BudgetLimits {
  perRunUsd?: number | undefined
  perFlowUsd?: number | undefined
  perDayUsd?: number | undefined
}

/** Money reserved for a call in progress. */
export interface Reservation {
  readonly maxCost: number
}

export interface Budget {
  /** Reserves money, or throws `budget_exceeded`. A call without a known price reserves nothing. */
  reserve: (maxCost: number | null) => Reservation
  /** Replaces a reservation with the real cost, once per reservation. */
  settle: (reservation: Reservation, cost: number | null) => void
}

const LIMIT_OF = { run: 'perRunUsd', flow: 'perFlowUsd', day: 'perDayUsd' } as const
/** Tolerance for sums of floating-point prices: a billionth of a dollar. */
const EPSILON = 1e-9

/** Enforces limits. Calls in progress count with their maximum cost. */
export const createBudget = ({
  limits,
  spent,
}: {
  limits: BudgetLimits
  spent: Readonly<Record<BudgetScope, number>>
}): Budget => {
  const open = new Set<Reservation>()
  let settled = 0

  return {
    reserve: (maxCost) => {
      const next = maxCost ?? 0
      const reserved = [...open].reduce((sum, reservation) => sum + reservation.maxCost, 0)
      for (const scope of BUDGET_SCOPES) {
        const limit = limits[LIMIT_OF[scope]]
        const used = spent[scope] + settled + reserved
        if (limit === undefined || next === 0 || used + next <= limit + EPSILON) continue
        throw new StewardError('budget_exceeded', {
          scope,
          limit,
          spent: rounded(used),
          next: rounded(next),
        })
      }
      const reservation = { maxCost: next }
      open.add(reservation)
      return reservation
    },
    settle: (reservation, cost) => {
      if (open.delete(reservation)) settled += cost ?? 0
    },
  }
}

const rounded = (usd: number): number => Math.round(usd * 1e6) / 1e6
