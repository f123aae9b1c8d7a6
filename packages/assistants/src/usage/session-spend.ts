import { type SessionSpend, USAGE_SOURCES, type UsageRow } from '@steward/contract'
import type { Connection, Row } from '@steward/platform'
import { NANO, SUMS, toSum } from './usage-sums.ts'

const HOUR_MS = 3_600_000
/** A session with a call in this time is running. */
const RUNNING_MS = 10 * 60_000
/** The pace of a shorter time says little. */
const LEAST_PACE_MS = 10 * 60_000

/** What a running session will have cost after another hour at its present pace. */
export const projectCost = (
  { statement }: Connection,
  session: string,
  row: Row,
  nowMs: number,
): Pick<UsageRow, 'projected_usd'> => {
  if (Number(row.last_ms ?? 0) < nowMs - RUNNING_MS) return {}
  const recent = statement(
    `SELECT sum(coalesce(reported_nano, computed_nano)) AS spent, min(at_ms) AS first_ms FROM calls
     WHERE session = ? AND at_ms >= ?`,
  ).get(session, nowMs - HOUR_MS)
  const paceMs = Math.max(LEAST_PACE_MS, nowMs - Number(recent?.first_ms ?? nowMs))
  const inAnHour = Number(recent?.spent ?? 0) * (HOUR_MS / paceMs)
  const sofar = Number(row.reported ?? 0) + Number(row.computed ?? 0)
  return { projected_usd: (sofar + inAnHour) / NANO }
}

/** One session by model and agent; null if no call of it is known. */
export const readSession = (
  connection: Connection,
  session: string,
  nowMs: number,
): SessionSpend | null => {
  const { statement } = connection
  const total = statement(`SELECT ${SUMS} FROM calls WHERE session = ?`).get(session)
  if (total === undefined || total.calls === 0) return null
  const rows = statement(
    `SELECT model, subagent, iif(source = 'copy', 'record', source) AS source, ${SUMS}
     FROM calls WHERE session = ? GROUP BY 1, 2, 3 ORDER BY reported + computed DESC, output DESC, model`,
  ).all(session)
  return {
    total: toSum(total),
    ...projectCost(connection, session, total, nowMs),
    parts: rows.flatMap((row) => {
      const { sessions: _, ...sum } = toSum(row)
      const source = USAGE_SOURCES.find((each) => each === row.source)
      if (source === undefined) return []
      const subagent = row.subagent === null ? null : String(row.subagent)
      return [{ ...sum, model: String(row.model), subagent, source }]
    }),
  }
}
