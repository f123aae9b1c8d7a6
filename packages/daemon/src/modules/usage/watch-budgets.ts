import { measureBudget, type UsageLedger } from '@steward/assistants'
import type { BudgetState, UsageBudget } from '@steward/contract'
import { coalesce, type Home } from '@steward/platform'
import type { Notices } from '../../ports.ts'
import { type BudgetStop, stopSessions } from './stop-sessions.ts'

export interface BudgetPorts {
  home: Home
  now: () => number
  budgets: () => readonly UsageBudget[]
  notices: Notices
}

export interface BudgetWatch {
  states: () => BudgetState[]
  /** Notifies and stops according to the settings. */
  check: () => Promise<void>
}

/** Budgets of the settings, compared with the ledger. */
export const watchBudgets = (
  ledger: UsageLedger,
  { home, now, budgets, notices }: BudgetPorts,
): BudgetWatch => {
  const notify = async (state: BudgetState, period: string): Promise<void> => {
    if (state.state === 'ok') return
    const percent = Math.floor((state.spent_usd / state.usd) * 100)
    const of = state.session === undefined ? '' : ` in session ${state.session.slice(0, 8)}`
    const end = state.state === 'over' && state.stop ? ' Further tool calls are refused.' : ''
    await notices.send({
      kind: state.state === 'over' ? 'error' : 'watchdog',
      title: state.state === 'over' ? 'Budget spent' : 'Budget almost spent',
      message: `$${state.spent_usd.toFixed(2)} of ${state.name} (${percent} %) is spent${of}.${end}`,
      key: ['budget', period, state.session ?? '', state.state].join(' '),
      ...(state.session === undefined ? {} : { session_id: state.session }),
    })
  }

  return {
    states: () => budgets().flatMap((budget) => measureBudget(ledger, budget, now()).states),
    check: coalesce(async () => {
      const stops: BudgetStop[] = []
      for (const budget of budgets()) {
        const { states, period, spenders } = measureBudget(ledger, budget, now())
        for (const state of states) await notify(state, period)
        if (!budget.stop) continue
        const reason = `${states[0]?.name} is spent`
        for (const { session, lastMs } of spenders) stops.push({ session, lastMs, period, reason })
      }
      await stopSessions(home, stops, now())
    }),
  }
}
