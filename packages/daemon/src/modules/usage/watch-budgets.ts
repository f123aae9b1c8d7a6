import type { UsageLedger } from '@steward/assistants'
import type { BudgetState, UsageBudget } from '@steward/contract'
import { type Home, liftHalt, readHalts, writeHalt } from '@steward/platform'
import type { Notices } from '../../ports.ts'

export interface BudgetPorts {
  home: Home
  now: () => number
  budgets: () => readonly UsageBudget[]
  notices: Notices
}

/** You are warned at this share. */
const WARN = 0.8
/** Sessions with a call in this time are stopped when a budget that they share is over. */
const RUNNING_MS = 3_600_000
const SINCE_EVER = 0
/** Stands in the list of halted sessions, so that it is lifted when the budget allows it again. */
const BY = 'a usage budget'

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
  const stoppedBefore = new Set<string>()

  const measure = (budget: UsageBudget) => {
    const { per, usd, stop, project, assistant, flow } = budget
    const since = periodStart(per, now())
    const sessions = ledger.sumSince({
      sinceMs: since.getTime(),
      ...(project === undefined ? {} : { project }),
      ...(assistant === undefined ? {} : { assistant }),
      ...(flow === undefined ? {} : { flow }),
    })
    const isShared = per !== 'session'
    const spent = isShared
      ? [{ session: undefined, usd: sessions.reduce((sum, each) => sum + each.usd, 0) }]
      : sessions.slice(0, 1)
    const runningMs = now() - RUNNING_MS
    const stopped = sessions
      .filter((each) => each.lastMs >= runningMs && (isShared || each.usd >= usd))
      .map(({ session }) => session)
    const state = spent.map(
      ({ session, usd: spentUsd }): BudgetState => ({
        name: nameOf(budget),
        ...(session === undefined ? {} : { session }),
        usd,
        spent_usd: spentUsd,
        state: spentUsd >= usd ? 'over' : spentUsd >= usd * WARN ? 'warn' : 'ok',
        stop,
      }),
    )
    return { state, stopped, since }
  }

  const notify = async (state: BudgetState, since: Date): Promise<void> => {
    if (state.state === 'ok') return
    const percent = Math.floor((state.spent_usd / state.usd) * 100)
    const of = state.session === undefined ? '' : ` in session ${state.session.slice(0, 8)}`
    const end = state.state === 'over' && state.stop ? ' Its tool calls are refused.' : ''
    await notices.send({
      kind: state.state === 'over' ? 'error' : 'watchdog',
      title: state.state === 'over' ? 'Budget spent' : 'Budget almost spent',
      message: `$${state.spent_usd.toFixed(2)} of ${state.name} (${percent} %) is spent${of}.${end}`,
      key: ['budget', state.name, state.session ?? since.toISOString(), state.state].join(' '),
    })
  }

  const check = async (): Promise<void> => {
    const wanted = new Map<string, string>()
    for (const budget of budgets()) {
      const { state, stopped, since } = measure(budget)
      for (const each of state) {
        await notify(each, since)
        if (each.state !== 'over' || !budget.stop) continue
        for (const session of stopped) wanted.set(session, `${each.name} is spent`)
      }
    }
    await halt(wanted)
  }

  /** Brings the halts of budgets in line; those of observers stay. */
  const halt = async (wanted: ReadonlyMap<string, string>): Promise<void> => {
    const read = await readHalts(home)
    if (!read.ok) return
    const halted = new Set(read.value.map(({ session_id }) => session_id))
    for (const { session_id, by } of read.value) {
      if (by === BY && !wanted.has(session_id)) await liftHalt(home, session_id)
    }
    for (const session of stoppedBefore) {
      if (!wanted.has(session)) stoppedBefore.delete(session)
    }
    const at = new Date(now()).toISOString()
    for (const [session_id, reason] of wanted) {
      // The person has let it continue.
      if (halted.has(session_id) || stoppedBefore.has(session_id)) continue
      await writeHalt(home, { session_id, reason, at, by: BY })
      stoppedBefore.add(session_id)
    }
  }

  return { states: () => budgets().flatMap((budget) => measure(budget).state), check }
}

const nameOf = ({ usd, per, project, assistant, flow }: UsageBudget): string => {
  const of = [assistant, project, flow].filter(Boolean).join(', ')
  return `the budget of $${usd} per ${per}${of === '' ? '' : ` for ${of}`}`
}

/** In the time zone of the machine; weeks begin on Monday. */
const periodStart = (per: UsageBudget['per'], nowMs: number): Date => {
  if (per === 'session') return new Date(SINCE_EVER)
  const start = new Date(nowMs)
  start.setHours(0, 0, 0, 0)
  if (per === 'week') start.setDate(start.getDate() - ((start.getDay() + 6) % 7))
  if (per === 'month') start.setDate(1)
  return start
}
