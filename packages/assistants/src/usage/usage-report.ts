import type {
  UsageKey,
  UsageOrigin,
  UsageQuery,
  UsageReport,
  UsageRow,
  UsageSum,
} from '@steward/contract'
import type { Connection, Row } from '@steward/platform'

/** Billionths of a dollar. */
export const NANO = 1_000_000_000
const HOUR_MS = 3_600_000
/** A session with a call in this time is running. */
const RUNNING_MS = 10 * 60_000
const MOST_POINTS = 20_000

/** Days and weeks are those of the machine's time zone; a week begins on Monday. */
const LOCAL_DAY = `date(at_ms / 1000, 'unixepoch', 'localtime')`
const KEYS: Record<UsageKey, string> = {
  day: LOCAL_DAY,
  week: `date(at_ms / 1000, 'unixepoch', 'localtime', '-6 days', 'weekday 1')`,
  month: `substr(${LOCAL_DAY}, 1, 7)`,
  session: `session`,
  project: `coalesce(project, '')`,
  model: `model`,
  assistant: `assistant`,
  flow: `coalesce(flow, '')`,
}
const IN_TIME: ReadonlySet<UsageKey> = new Set<UsageKey>(['day', 'week', 'month'])

const SUMS = `coalesce(sum(input), 0) AS input, coalesce(sum(output), 0) AS output,
  coalesce(sum(cache_read), 0) AS cache_read,
  coalesce(sum(cache_write_5m + cache_write_1h), 0) AS cache_write,
  coalesce(sum(reported_nano), 0) AS reported,
  coalesce(sum(CASE WHEN reported_nano IS NULL THEN computed_nano END), 0) AS computed,
  count(*) FILTER (WHERE reported_nano IS NULL AND computed_nano IS NULL) AS unpriced,
  count(*) AS calls, max(at_ms) AS last_ms, count(DISTINCT assistant || ' ' || session) AS sessions`

export type LedgerReport = Omit<UsageReport, 'problems' | 'import' | 'windows' | 'budgets'>

export const report = (
  { statement }: Connection,
  { by, since, until, project, assistant, series }: UsageQuery,
  nowMs: number,
): LedgerReport => {
  const conditions: Array<[sql: string, value: string | undefined]> = [
    [`${LOCAL_DAY} >= ?`, since],
    [`${LOCAL_DAY} <= ?`, until],
    [`instr(project, ?) > 0`, project],
    [`assistant = ?`, assistant],
  ]
  const given = conditions.filter(([, value]) => value !== undefined)
  const where = ['true', ...given.map(([sql]) => sql)].join(' AND ')
  const values = given.map(([, value]) => value ?? null)
  const order = IN_TIME.has(by) ? 'key' : 'reported + computed DESC, output DESC, key'
  const rows = statement(
    `SELECT ${KEYS[by]} AS key, ${SUMS} FROM calls WHERE ${where} GROUP BY key ORDER BY ${order}`,
  ).all(...values)
  const total = statement(`SELECT ${SUMS} FROM calls WHERE ${where}`).get(...values)
  const unpriced = statement(
    `SELECT model FROM calls
     WHERE reported_nano IS NULL AND computed_nano IS NULL AND ${where}
     GROUP BY model ORDER BY count(*) DESC, model`,
  ).all(...values)
  const points =
    series === undefined
      ? []
      : statement(
          `SELECT ${BUCKETS[series]} AS at, ${IN_TIME.has(by) ? "''" : KEYS[by]} AS key, ${SUMS}
           FROM calls WHERE ${where} GROUP BY at, key ORDER BY at, key LIMIT ${MOST_POINTS}`,
        ).all(...values)
  return {
    rows: rows.map((row) => ({
      key: String(row.key),
      ...(by === 'session' ? describeSession({ statement }, String(row.key), row, nowMs) : {}),
      ...toSum(row),
    })),
    series: points.map((row) => ({ at: String(row.at), key: String(row.key), ...toSum(row) })),
    total: toSum(total ?? {}),
    unpriced_models: unpriced.map(({ model }) => String(model)),
  }
}

const toSum = (row: Row): UsageSum => {
  const reported = Number(row.reported ?? 0) / NANO
  const computed = Number(row.computed ?? 0) / NANO
  const unpriced = Number(row.unpriced ?? 0)
  return {
    input_tokens: Number(row.input ?? 0),
    output_tokens: Number(row.output ?? 0),
    cache_read_tokens: Number(row.cache_read ?? 0),
    cache_write_tokens: Number(row.cache_write ?? 0),
    cost_usd: unpriced > 0 ? null : reported + computed,
    reported_usd: reported,
    computed_usd: computed,
    unpriced_calls: unpriced,
    calls: Number(row.calls ?? 0),
    sessions: Number(row.sessions ?? 0),
  }
}

const BUCKETS = {
  hour: `strftime('%Y-%m-%dT%H:00', at_ms / 1000, 'unixepoch', 'localtime')`,
  day: LOCAL_DAY,
} as const

/** Its name, and what it will have cost after another hour at its present pace, if it is running. */
const describeSession = (
  { statement }: Connection,
  session: string,
  row: Row,
  nowMs: number,
): Pick<UsageRow, 'title' | 'projected_usd'> => {
  const named = statement('SELECT title FROM sessions WHERE session = ?').get(session)
  const title = named === undefined ? {} : { title: String(named.title) }
  if (Number(row.last_ms ?? 0) < nowMs - RUNNING_MS) return title
  const recent = statement(
    `SELECT sum(coalesce(reported_nano, computed_nano)) AS spent FROM calls
     WHERE session = ? AND at_ms >= ?`,
  ).get(session, nowMs - HOUR_MS)
  const sofar = Number(row.reported ?? 0) + Number(row.computed ?? 0)
  return { ...title, projected_usd: (sofar + Number(recent?.spent ?? 0)) / NANO }
}

/** Calls that a budget counts. */
export interface CostFilter {
  sinceMs: number
  project?: string
  assistant?: UsageOrigin
  flow?: string
}

export interface SessionCost {
  assistant: string
  session: string
  usd: number
  lastMs: number
}

export const sumSince = (
  { statement }: Connection,
  { sinceMs, project, assistant, flow }: CostFilter,
): SessionCost[] =>
  statement(
    `SELECT assistant, session, max(at_ms) AS last_ms,
       coalesce(sum(coalesce(reported_nano, computed_nano)), 0) AS spent
     FROM calls WHERE at_ms >= ?1 AND (?2 IS NULL OR instr(project, ?2) > 0)
       AND (?3 IS NULL OR assistant = ?3) AND (?4 IS NULL OR flow = ?4)
     GROUP BY assistant, session ORDER BY spent DESC`,
  )
    .all(sinceMs, project ?? null, assistant ?? null, flow ?? null)
    .map((row) => ({
      assistant: String(row.assistant),
      session: String(row.session),
      usd: Number(row.spent) / NANO,
      lastMs: Number(row.last_ms),
    }))

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
  statement(`SELECT assistant, model, ${SUMS} FROM calls GROUP BY assistant, model`)
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
