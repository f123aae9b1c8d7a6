import {
  type DailySpend,
  type FlowState,
  flowState,
  type OpenItems,
  type RecentRun,
  unwrap,
} from '@steward/contract'
import { readStateFile } from '@steward/platform'
import type { LocalRuntime } from '@steward/runner'

const DAY_MS = 86_400_000
const RECENT_RUNS = 14
const NONE: FlowState = { version: 1, updatedAt: new Date(0).toISOString(), flows: {} }

interface FlowBoard {
  states: FlowState['flows']
  open: Record<string, OpenItems>
  recent: Record<string, RecentRun[]>
  spend: DailySpend[]
}

/** The last runs and open items of each flow, and the costs of recent days in UTC, today last. */
export const readFlowStates = async (
  { home, history, catalog }: Pick<LocalRuntime, 'home' | 'history' | 'catalog'>,
  days: number,
  nowMs: number,
): Promise<FlowBoard> => {
  const read = unwrap(await readStateFile(home.flowState, flowState, NONE))
  const since = (Math.floor(nowMs / DAY_MS) - days + 1) * DAY_MS
  const names = catalog.flows.all().map(({ flow }) => flow.name)
  const recentOf = (name: string): RecentRun[] =>
    history
      .list({ name, primitive: 'flow', limit: RECENT_RUNS })
      .map(({ id, status, startedAt, durationMs }) => ({ id, status, startedAt, durationMs }))
  return {
    states: read.flows,
    open: readOpenItems(history),
    recent: Object.fromEntries(names.map((name) => [name, recentOf(name)])),
    spend: history.dailySpend(since),
  }
}

const readOpenItems = ({ database }: LocalRuntime['history']): Record<string, OpenItems> => {
  const rows = database.read(({ statement }) =>
    statement(
      `SELECT flow, sum(state = 'waiting') AS waiting,
        sum(state = 'found' AND attempts > 0) AS failing, sum(state = 'given-up') AS given_up,
        sum(state = 'rejected') AS rejected
      FROM flow_items WHERE state IN ('waiting', 'found', 'given-up', 'rejected') GROUP BY flow`,
    ).all(),
  )
  return Object.fromEntries(
    rows.map(({ flow, waiting, failing, given_up, rejected }) => [
      String(flow),
      {
        waiting: Number(waiting),
        failing: Number(failing),
        givenUp: Number(given_up),
        rejected: Number(rejected),
      },
    ]),
  )
}
