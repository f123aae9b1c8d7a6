import type { BudgetState, HostName, UsageBudget } from '@steward/contract'
import { HOSTS } from '@steward/contract'
import type { SessionCost } from './sum-costs.ts'
import type { UsageLedger } from './usage-ledger.ts'

/** You are warned at this share. */
const WARN = 0.8
/** A budget per session looks at sessions with a call in this time. */
const RECENT_MS = 24 * 3_600_000

/** A budget that is compared with the ledger. */
interface MeasuredBudget {
  /** One state; one per session from 80 % on, or the highest, if the budget is per session. */
  states: BudgetState[]
  /** Distinguishes the budget in this period, so that you are notified once. */
  period: string
  /** Sessions of assistants that are over the budget or spend from one that is over. */
  spenders: SessionCost[]
}

export const measureBudget = (
  ledger: Pick<UsageLedger, 'sumSince'>,
  budget: UsageBudget,
  nowMs: number,
): MeasuredBudget => {
  const { per, usd, project, assistant, flow } = budget
  const name = nameOf(budget)
  const since = per === 'session' ? undefined : periodStart(per, nowMs)
  const sessions = ledger.sumSince({
    ...(since === undefined
      ? { sinceMs: 0, activeSinceMs: nowMs - RECENT_MS }
      : { sinceMs: since.getTime() }),
    ...(project === undefined ? {} : { project }),
    ...(assistant === undefined ? {} : { assistant }),
    ...(flow === undefined ? {} : { flow }),
  })
  const stateOf = (spentUsd: number, session?: string): BudgetState => ({
    name,
    ...(session === undefined ? {} : { session }),
    usd,
    spent_usd: spentUsd,
    state: spentUsd >= usd ? 'over' : spentUsd >= usd * WARN ? 'warn' : 'ok',
    stop: budget.stop,
  })
  if (since === undefined) {
    const high = sessions.filter((each) => each.usd >= usd * WARN)
    const shown = high.length > 0 ? high : sessions.slice(0, 1)
    return {
      states: shown.map((each) => stateOf(each.usd, each.session)),
      period: name,
      spenders: high.filter((each) => each.usd >= usd && isGuarded(each)),
    }
  }
  const state = stateOf(sessions.reduce((sum, each) => sum + each.usd, 0))
  return {
    states: [state],
    period: `${name} ${since.toISOString()}`,
    spenders: state.state === 'over' ? sessions.filter(isGuarded) : [],
  }
}

/** Guards judge the tool calls of assistants, not those of runs and hosted agents. */
const isGuarded = ({ assistant }: SessionCost): boolean =>
  HOSTS.some((host: HostName) => host === assistant)

const nameOf = ({ usd, per, project, assistant, flow }: UsageBudget): string => {
  const of = [assistant, project, flow].filter(Boolean).join(', ')
  return `the budget of $${usd} per ${per}${of === '' ? '' : ` for ${of}`}`
}

/** In the time zone of the machine; weeks begin on Monday. */
const periodStart = (per: 'day' | 'week' | 'month', nowMs: number): Date => {
  const start = new Date(nowMs)
  start.setHours(0, 0, 0, 0)
  if (per === 'week') start.setDate(start.getDate() - ((start.getDay() + 6) % 7))
  if (per === 'month') start.setDate(1)
  return start
}
