import { type DailySpend, type FlowState, flowState, unwrap } from '@steward/contract'
import { readStateFile } from '@steward/platform'
import type { LocalRuntime } from '@steward/runner'

const DAY_MS = 86_400_000
const NONE: FlowState = { version: 1, updatedAt: new Date(0).toISOString(), flows: {} }

/** The last run of each flow, and the costs of recent days in UTC, today last. */
export const readFlowStates = async (
  { home, history }: Pick<LocalRuntime, 'home' | 'history'>,
  days: number,
  nowMs: number,
): Promise<{ states: FlowState['flows']; spend: DailySpend[] }> => {
  const read = unwrap(await readStateFile(home.flowState, flowState, NONE))
  const since = (Math.floor(nowMs / DAY_MS) - days + 1) * DAY_MS
  return { states: read.flows, spend: history.dailySpend(since) }
}
