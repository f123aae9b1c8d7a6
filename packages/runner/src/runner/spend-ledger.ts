import { createBudget } from '@steward/models'
import type { RunnerPorts } from './ports.ts'

/** The account that a model call is charged to. */
interface Account {
  runId: string
  flow: string | undefined
  /** The flow's own limit; overrides the general one. */
  flowBudgetUsd: number | undefined
}

export interface SpendLedger {
  /** Reserves the maximum cost of a call, or throws `budget_exceeded` before it is made. */
  reserve: (account: Account, maxCost: number | null) => { release: () => void }
}

const DAY_MS = 86_400_000

/**
 * Enforces the budgets of a run, its flow (per UTC day) and the day. The amount spent is read from
 * the history; calls in flight in this process count with their maximum cost.
 */
export const createSpendLedger = ({
  history,
  budgets,
  now,
}: Pick<RunnerPorts, 'history' | 'budgets' | 'now'>): SpendLedger => {
  const inFlight = new Set<Account & { maxCost: number }>()
  const held = (of: (call: Account) => boolean) =>
    [...inFlight].filter(of).reduce((sum, { maxCost }) => sum + maxCost, 0)

  return {
    reserve: (account, maxCost) => {
      const { runId, flow, flowBudgetUsd } = account
      const general = budgets()
      const limits = { ...general, perFlowUsd: flowBudgetUsd ?? general.perFlowUsd }
      const since = now() - (now() % DAY_MS)
      const spent = {
        run: limits.perRunUsd
          ? (history.spend({ runId }).cost ?? 0) + held((call) => call.runId === runId)
          : 0,
        flow:
          limits.perFlowUsd && flow
            ? (history.spend({ flow, since }).cost ?? 0) + held((call) => call.flow === flow)
            : 0,
        day: limits.perDayUsd ? (history.spend({ since }).cost ?? 0) + held(() => true) : 0,
      }
      createBudget({ limits: flow ? limits : { ...limits, perFlowUsd: undefined }, spent }).reserve(
        maxCost,
      )
      const call = { ...account, maxCost: maxCost ?? 0 }
      inFlight.add(call)
      return { release: () => inFlight.delete(call) }
    },
  }
}
