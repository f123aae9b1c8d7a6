import { join } from 'node:path'
import { type Schema, unwrap } from '@steward/contract'
import {
  type Home,
  liftHalt,
  readHalts,
  readStateFile,
  updateStateFile,
  writeHalt,
} from '@steward/platform'
import { z } from 'zod'

/** A session that spends from a budget that is over. */
export interface BudgetStop {
  session: string
  lastMs: number
  /** The budget and its period. */
  period: string
  reason: string
}

/** Only sessions with a call in this time are stopped; others may never continue. */
const RUNNING_MS = 3_600_000
/** Identifies halts of budgets, which are lifted when the budget allows it again. */
const BY = 'a usage budget'

/** Sessions that each budget has stopped, so that one that a person lets continue is not stopped again. */
const stopsFile: Schema<Record<string, string[]>> = z.record(z.string(), z.array(z.string()))

/** Brings the halts of budgets in line; those of observers stay. */
export const stopSessions = async (
  home: Home,
  stops: readonly BudgetStop[],
  nowMs: number,
): Promise<void> => {
  const path = join(home.stateDir, 'budget-stops.json')
  const before = unwrap(await readStateFile(path, stopsFile, {}))
  const halts = unwrap(await readHalts(home))
  const own = new Set(halts.filter(({ by }) => by === BY).map(({ session_id }) => session_id))
  const over = new Set(stops.map(({ session }) => session))
  for (const session of own) {
    if (!over.has(session)) unwrap(await liftHalt(home, session))
  }
  const isStopped = ({ session, period }: BudgetStop): boolean =>
    before[period]?.includes(session) === true
  const due = stops.filter((stop) => !isStopped(stop) && stop.lastMs >= nowMs - RUNNING_MS)
  const after = Map.groupBy(
    [...stops.filter(isStopped), ...due],
    ({ period }: BudgetStop) => period,
  )
  const next = Object.fromEntries(
    [...after].map(([period, each]) => [period, each.map(({ session }) => session)]),
  )
  const at = new Date(nowMs).toISOString()
  for (const { session, reason } of due) {
    unwrap(await writeHalt(home, { session_id: session, reason, at, by: BY }))
  }
  if (JSON.stringify(next) === JSON.stringify(before)) return
  unwrap(await updateStateFile(path, stopsFile, {}, () => next))
}
