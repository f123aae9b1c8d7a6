import type { UsageKey, UsagePeriod, UsageReport, UsageRow, UsageSum } from '@steward/contract'
import type { UsageLedger } from './usage-ledger.ts'

/** The usage of a period that is over, as an item of a flow. */
export interface PeriodUsage {
  /** The same whenever the period is described. */
  id: string
  title: string
  payload: {
    title: string
    subject: string
    /** Markdown whose tables are aligned, so that it is also plain text. */
    body: string
    /** The total in one line. */
    content: string
    period: UsagePeriod
    since: string
    until: string
    total: UsageSum
    unpriced_models: string[]
  }
}

const TABLES: ReadonlyArray<[by: UsageKey, heading: string]> = [
  ['assistant', 'By assistant'],
  ['model', 'By model'],
  ['project', 'By project'],
  ['day', 'By day'],
]
/** Rows of a table; the others are one row. */
const MOST_ROWS = 15

/** The last day, week or month that is over, in the time zone of the machine. */
export const describePeriod = (
  ledger: Pick<UsageLedger, 'report'>,
  period: UsagePeriod,
  nowMs: number,
): PeriodUsage => {
  const until = startOf(period, new Date(nowMs))
  const since = startOf(period, addDays(until, -1))
  const before = startOf(period, addDays(since, -1))
  const read = (by: UsageKey, from: Date, to: Date): ReturnType<UsageLedger['report']> =>
    ledger.report({ by, since: dayOf(from), until: dayOf(addDays(to, -1)) }, nowMs)
  const { total, unpriced_models } = read('day', since, until)
  const earlier = read('day', before, since).total
  const title = `Usage ${describeDays(period, since, addDays(until, -1))}`
  const content = describeTotal(total)
  const tables = TABLES.map(([by, heading]) => {
    const { rows } = read(by, since, until)
    return rows.length === 0 ? '' : `## ${heading}\n\n${renderTable(by, rows)}`
  })
  const body = [
    `# ${title}`,
    [content, compare(period, total, earlier)].filter(Boolean).join(' '),
    ...tables,
    unpriced_models.length === 0 ? '' : `Price unknown: ${unpriced_models.map(cell).join(', ')}.`,
  ]
  return {
    id: `usage ${period} ${dayOf(since)}`,
    title,
    payload: {
      title,
      subject: `${title}: ${costOf(total)}`,
      body: `${body.filter(Boolean).join('\n\n')}\n`,
      content,
      period,
      since: dayOf(since),
      until: dayOf(addDays(until, -1)),
      total,
      unpriced_models,
    },
  }
}

/** Weeks begin on Monday. */
const startOf = (period: UsagePeriod, at: Date): Date => {
  const start = new Date(at.getFullYear(), at.getMonth(), at.getDate())
  if (period === 'week') return addDays(start, -((start.getDay() + 6) % 7))
  return period === 'month' ? new Date(start.getFullYear(), start.getMonth(), 1) : start
}

const addDays = (day: Date, count: number): Date =>
  new Date(day.getFullYear(), day.getMonth(), day.getDate() + count)

const dayOf = (day: Date): string =>
  [day.getFullYear(), day.getMonth() + 1, day.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-')

const describeDays = (period: UsagePeriod, since: Date, last: Date): string => {
  if (period === 'month') return dayOf(since).slice(0, 7)
  return period === 'day' ? dayOf(since) : `${dayOf(since)} to ${dayOf(last)}`
}

const describeTotal = (total: UsageSum): string => {
  if (total.calls === 0) return 'No model calls.'
  const calls = `${total.calls.toLocaleString('en-US')} model calls in ${total.sessions.toLocaleString('en-US')} sessions`
  return `${costOf(total)} for ${calls}, ${tokensOf(total)} tokens.`
}

const compare = (period: UsagePeriod, total: UsageSum, earlier: UsageSum): string => {
  if (earlier.calls === 0 || total.calls === 0) return ''
  const change = Math.round((knownOf(total) / knownOf(earlier) - 1) * 100)
  const percent = Number.isFinite(change) ? ` (${change < 0 ? '' : '+'}${change} %)` : ''
  return `The ${period} before: ${costOf(earlier)}${percent}.`
}

const renderTable = (by: UsageKey, rows: readonly UsageRow[]): string => {
  const shown = rows.length > MOST_ROWS ? rows.slice(0, MOST_ROWS - 1) : rows
  const rest = rows.slice(shown.length)
  const others = rest.length === 0 ? [] : [[`${rest.length} others`, '', '', costOf(sumOf(rest))]]
  const lines = [
    [by, 'sessions', 'tokens', 'cost'],
    ...shown.map((row) => [
      cell(row.key) || 'unknown',
      row.sessions.toLocaleString('en-US'),
      tokensOf(row),
      costOf(row),
    ]),
    ...others,
  ]
  const widths = lines[0]?.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)))
  const pad = (line: readonly string[]): string =>
    `| ${line.map((text, at) => (at === 0 ? text.padEnd(widths?.[at] ?? 0) : text.padStart(widths?.[at] ?? 0))).join(' | ')} |`
  const rule = widths?.map((width, at) =>
    at === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  )
  const [head = [], ...body] = lines
  return [pad(head), `| ${rule?.join(' | ')} |`, ...body.map(pad)].join('\n')
}

type Costs = Pick<UsageReport['total'], 'cost_usd' | 'reported_usd' | 'computed_usd'>

const sumOf = (rows: readonly UsageRow[]): Costs => ({
  cost_usd: rows.some(({ cost_usd }) => cost_usd === null) ? null : 0,
  reported_usd: rows.reduce((sum, each) => sum + each.reported_usd, 0),
  computed_usd: rows.reduce((sum, each) => sum + each.computed_usd, 0),
})

const knownOf = ({ reported_usd, computed_usd }: Costs): number => reported_usd + computed_usd

/** Never a zero for a price that is unknown. */
const costOf = (sum: Costs): string => {
  const known = `$${knownOf(sum).toFixed(2)}`
  if (sum.cost_usd !== null) return known
  return knownOf(sum) === 0 ? 'price unknown' : `at least ${known}`
}

const tokensOf = (sum: UsageSum): string =>
  (
    sum.input_tokens +
    sum.output_tokens +
    sum.cache_read_tokens +
    sum.cache_write_tokens
  ).toLocaleString('en-US')

/** Names come from records of assistants; nothing in them may break a table. */
const cell = (text: string): string =>
  text.replaceAll(/\s+/g, ' ').replaceAll(/[\\`*_[\]<>|]/g, '\\$&')
