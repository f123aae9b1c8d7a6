import type { BudgetState, UsageKey, UsageReport, UsageRow, UsageSum } from '@steward/contract'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { formatCost } from '../../output/format.ts'
import { formatTokens, formatUsageCost } from '../../output/format-usage.ts'
import type { Paint } from '../../output/paint.ts'
import { formatTable } from '../../output/table.ts'

/** A table that fits a terminal, with budgets below it. */
export const renderReport = (
  by: UsageKey,
  { rows, total, unpriced_models, budgets }: UsageReport,
  { paint, columns }: Pick<Io['out'], 'paint' | 'columns'>,
): string => {
  const limits = renderBudgets(budgets, paint)
  if (rows.length === 0)
    return `no usage in this time; steward usage --since all shows everything\n${limits}`
  const isRunning = rows.some(({ projected_usd }) => projected_usd !== undefined)
  const projected = (row?: UsageRow): string[] => {
    if (!isRunning) return []
    return [row?.projected_usd === undefined ? '' : formatCost(row.projected_usd)]
  }
  const heads = ['input', 'output', 'cache read', 'cache write', 'sessions', 'cost']
  const cells = [
    [...heads, ...(isRunning ? ['in 1 h'] : [])],
    ...rows.map((row) => [...cellsOf(row), ...projected(row)]),
    [...cellsOf(total), ...projected()],
  ]
  const widths = cells[0]?.map((_, index) =>
    Math.max(...cells.map((row) => row[index]?.length ?? 0)),
  )
  const taken = widths?.reduce((sum, width) => sum + width + GAP, 0) ?? 0
  const shorten = by === 'project' ? keepEnd : keepStart
  const names = rows.map((row) =>
    shorten(
      cleanText(row.title ?? row.key) || NONE[by] || 'unknown',
      Math.max(LEAST_NAME, columns - taken),
    ),
  )
  const table = formatTable(
    [by, ...names, 'total'].map((name, index) => {
      const line = [name, ...(cells[index] ?? [])]
      return index === 0 ? line.map(paint.dim) : line
    }),
  )
  const models = unpriced_models.map(cleanText).join(', ')
  const missing = models === '' ? '' : `${paint.yellow('price unknown:')} ${models}\n`
  return table + missing + limits
}

/** Calls without a flow or subagent are not unknown. */
const NONE: Partial<Record<UsageKey, string>> = { flow: 'no flow', subagent: 'main agent' }
const GAP = 2
const LEAST_NAME = 12
const keepStart = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text
/** The folder of a project is at the end of its path. */
const keepEnd = (text: string, most: number): string =>
  text.length > most ? `…${text.slice(1 - most)}` : text

/** `$4.20`, or `$0.0042`, which cents would hide. */
const formatUsd = (usd: number): string =>
  usd > 0 && usd < CENTS_FROM_USD ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`
const CENTS_FROM_USD = 0.1

/** `$4.10 of $5.00 (82 %)`, with the limit that it belongs to. */
const renderBudgets = (budgets: readonly BudgetState[], paint: Paint): string => {
  if (budgets.length === 0) return ''
  const colours = { ok: paint.green, warn: paint.yellow, over: paint.red }
  const rows = budgets.map(({ name, session, usd, spent_usd, state, stop }) => [
    cleanText(name.replace(/^the budget of \$\S+ /, '')),
    `${formatUsd(spent_usd)} of ${formatUsd(usd)}`,
    `${Math.floor((spent_usd / usd) * 100)} %`,
    colours[state](state === 'over' && stop ? 'over, stops sessions' : state),
    session === undefined ? '' : `session ${session.slice(0, 8)}`,
  ])
  const head = ['budget', 'spent', 'share', 'state', ''].map(paint.dim)
  return `\n${formatTable([head, ...rows])}`
}

const cellsOf = (sum: UsageSum): string[] => [
  ...formatTokens(sum),
  String(sum.sessions),
  formatUsageCost(sum),
]

export const renderCsv = (by: UsageKey, { rows }: UsageReport): string => {
  const head = `${by},input_tokens,output_tokens,cache_read_tokens,cache_write_tokens,cost_usd,sessions\n`
  const lines = rows.map((row) =>
    [
      `"${row.key.replaceAll('"', '""')}"`,
      row.input_tokens,
      row.output_tokens,
      row.cache_read_tokens,
      row.cache_write_tokens,
      row.cost_usd ?? '',
      row.sessions,
    ].join(','),
  )
  return head + lines.map((line) => `${line}\n`).join('')
}
