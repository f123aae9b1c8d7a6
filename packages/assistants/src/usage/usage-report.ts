import {
  USAGE_ORIGINS,
  type UsageKey,
  type UsageQuery,
  type UsageReport,
  type UsageRow,
  type UsageSum,
} from '@steward/contract'
import type { Connection, Row } from '@steward/platform'
import { partsOf } from './ledger-parts.ts'
import { projectCost } from './session-spend.ts'
import { PART_SUMS, projectIs, QUARTER_MS, toSum } from './usage-sums.ts'

const MOST_POINTS = 20_000

/** Days and weeks are those of the machine's time zone; a week begins on Monday. */
const LOCAL_DAY = `date(quarter * 900, 'unixepoch', 'localtime')`
const KEYS: Record<UsageKey, string> = {
  day: LOCAL_DAY,
  week: `date(quarter * 900, 'unixepoch', 'localtime', '-6 days', 'weekday 1')`,
  month: `substr(${LOCAL_DAY}, 1, 7)`,
  session: `session`,
  project: `project`,
  model: `model`,
  assistant: `assistant`,
  branch: `branch`,
  subagent: `subagent`,
  flow: `flow`,
}
const IN_TIME: ReadonlySet<UsageKey> = new Set<UsageKey>(['day', 'week', 'month'])

export type LedgerReport = Omit<UsageReport, 'problems' | 'import' | 'windows' | 'budgets'>

export const report = (
  connection: Connection,
  { by, since, until, project, session, assistant, series, limit }: UsageQuery,
  nowMs: number,
): LedgerReport => {
  const { statement } = connection
  const { where, values } = conditionsOf({ since, until, project, session, assistant })
  const order = IN_TIME.has(by) ? 'key' : 'reported + computed DESC, output DESC, key'
  const rows = statement(
    `SELECT ${KEYS[by]} AS key, ${PART_SUMS}, nullif(max(project), '') AS project,
       max(assistant) AS assistant
     FROM ${partsOf(where)} GROUP BY key ORDER BY ${order}`,
  ).all(...values)
  const total = statement(`SELECT ${PART_SUMS} FROM ${partsOf(where)}`).get(...values)
  const unpriced = statement(
    `SELECT model FROM ${partsOf(where)} WHERE part_unpriced > 0
     GROUP BY model ORDER BY sum(part_unpriced) DESC, model`,
  ).all(...values)
  const points =
    series === undefined
      ? []
      : statement(
          `SELECT ${BUCKETS[series]} AS at, ${IN_TIME.has(by) ? "''" : KEYS[by]} AS key, ${PART_SUMS}
           FROM ${partsOf(where)} GROUP BY at, key ORDER BY at, key LIMIT ${MOST_POINTS}`,
        ).all(...values)
  const describe = describing(connection, by, nowMs)
  const most = limit ?? rows.length
  const shown = IN_TIME.has(by) ? rows.slice(Math.max(0, rows.length - most)) : rows.slice(0, most)
  return {
    more_rows: rows.length - shown.length,
    rows: shown.map((row) => ({ key: String(row.key), ...describe(row), ...toSum(row) })),
    series: points.map((row) => ({ at: String(row.at), key: String(row.key), ...toSum(row) })),
    total: toSum(total ?? {}),
    unpriced_models: unpriced.map(({ model }) => String(model)),
  }
}

const conditionsOf = ({
  since,
  until,
  project,
  session,
  assistant,
}: Omit<UsageQuery, 'by' | 'series' | 'limit'>): {
  where: string
  values: Array<string | number>
} => {
  const first = since && startOfDay(since) / QUARTER_MS
  const ofContext = given([
    ['last_quarter >= ?', first],
    [`project <> '' AND ${projectIs('?', project)}`, project],
    ['session IN (SELECT value FROM json_each(?))', session && JSON.stringify(session.split(','))],
    ['assistant = ?', assistant],
  ])
  const ofCall = given([
    ['quarter >= ?', first],
    ['quarter < ?', until && startOfDay(until, 1) / QUARTER_MS],
  ])
  // In one query, so that the index of the rarest condition is used.
  const contexts =
    ofContext.length === 0
      ? []
      : [`context IN (SELECT id FROM contexts WHERE ${sqlOf(ofContext, 1).join(' AND ')})`]
  return {
    where: ['true', ...contexts, ...sqlOf(ofCall, 1 + ofContext.length)].join(' AND '),
    values: [...ofContext, ...ofCall].map(({ value }) => value),
  }
}

interface Condition {
  sql: string
  value: string | number
}

const given = (
  conditions: ReadonlyArray<readonly [sql: string, value: string | number | undefined]>,
): Condition[] =>
  conditions.flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]))

/** Numbered, because a query contains the conditions several times. */
const sqlOf = (conditions: readonly Condition[], first: number): string[] =>
  conditions.map(({ sql }, place) => sql.replace('?', `?${first + place}`))

/** In the time zone of the machine. */
const startOfDay = (day: string, later = 0): number => {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + later).getTime()
}

const BUCKETS = {
  hour: `strftime('%Y-%m-%dT%H:00', quarter * 900, 'unixepoch', 'localtime')`,
  day: LOCAL_DAY,
} as const

type RowDetails = Omit<UsageRow, keyof UsageSum | 'key'>

/** What rows say beyond their sums. */
const describing = (
  connection: Connection,
  by: UsageKey,
  nowMs: number,
): ((row: Row) => RowDetails) => {
  if (by !== 'session' && by !== 'project') return () => ({})
  const lastOf = (row: Row) => ({ last_at: new Date(Number(row.last_ms)).toISOString() })
  if (by === 'project') return lastOf
  const findTitle = connection.statement(
    'SELECT title FROM sessions WHERE assistant = ? AND session = ?',
  )
  return (row) => {
    const assistant = USAGE_ORIGINS.find((each) => each === row.assistant)
    const named = findTitle.get(assistant ?? null, String(row.key))
    return {
      ...(named === undefined ? {} : { title: String(named.title) }),
      ...(assistant === undefined ? {} : { assistant }),
      ...(row.project === null ? {} : { project: String(row.project) }),
      ...projectCost(connection, String(row.key), row, nowMs),
      ...lastOf(row),
    }
  }
}
