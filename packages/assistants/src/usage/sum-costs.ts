import type { UsageOrigin } from '@steward/contract'
import type { Connection } from '@steward/platform'
import { partsOf } from './ledger-parts.ts'
import { isSince, NANO, PART_SUMS, projectIs, toSum } from './usage-sums.ts'

/** Calls that a budget counts. */
export interface CostFilter {
  sinceMs: number
  /** Only sessions with a call since then. */
  activeSinceMs?: number
  project?: string
  assistant?: UsageOrigin
  flow?: string
}

export interface SessionCost {
  assistant: string
  session: string
  /** The known part of the cost. */
  usd: number
  /** Whether calls without a known price are missing in it. */
  isPartial: boolean
  lastMs: number
}

export const sumSince = (
  { statement }: Connection,
  { sinceMs, activeSinceMs, project, assistant, flow }: CostFilter,
): SessionCost[] =>
  statement(
    `SELECT assistant, session, max(at_ms) AS last_ms,
       coalesce(sum(coalesce(reported_nano, computed_nano)), 0) AS spent,
       count(*) - count(coalesce(reported_nano, computed_nano)) AS unpriced
     FROM calls WHERE ${isSince('?1')} AND (?2 IS NULL OR ${projectIs('?2', project)})
       AND (?3 IS NULL OR assistant = ?3) AND (?4 IS NULL OR flow = ?4)
       AND (?5 IS NULL OR session IN (SELECT session FROM calls WHERE ${isSince('?5')}))
     GROUP BY assistant, session ORDER BY spent DESC`,
  )
    .all(sinceMs, project ?? null, assistant ?? null, flow ?? null, activeSinceMs ?? null)
    .map((row) => ({
      assistant: String(row.assistant),
      session: String(row.session),
      usd: Number(row.spent) / NANO,
      isPartial: Number(row.unpriced) > 0,
      lastMs: Number(row.last_ms),
    }))

/** The known cost of these sessions; those without a priced call are left out. */
export const sumSessions = (
  { statement }: Connection,
  sessions: readonly string[],
): ReadonlyMap<string, number> =>
  new Map(
    statement(
      `SELECT session, sum(coalesce(reported_nano, computed_nano)) AS spent FROM calls
       WHERE session IN (SELECT value FROM json_each(?)) GROUP BY session HAVING spent IS NOT NULL`,
    )
      .all(JSON.stringify(sessions))
      .map((row) => [String(row.session), Number(row.spent) / NANO]),
  )

export interface ModelTotal {
  assistant: string
  model: string
  calls: number
  unpriced: number
  reportedUsd: number
  computedUsd: number
  tokens: Record<'input' | 'output' | 'cache_read' | 'cache_write', number>
}

export const readTotals = ({ statement }: Connection): ModelTotal[] =>
  statement(
    `SELECT assistant, model, ${PART_SUMS} FROM ${partsOf('true')} GROUP BY assistant, model`,
  )
    .all()
    .map((row) => {
      const sum = toSum(row)
      return {
        assistant: String(row.assistant),
        model: String(row.model),
        calls: sum.calls,
        unpriced: sum.unpriced_calls,
        reportedUsd: sum.reported_usd,
        computedUsd: sum.computed_usd,
        tokens: {
          input: sum.input_tokens,
          output: sum.output_tokens,
          cache_read: sum.cache_read_tokens,
          cache_write: sum.cache_write_tokens,
        },
      }
    })
