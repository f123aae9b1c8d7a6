import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import {
  changedRecords,
  findRecords,
  importHistory,
  openUsageLedger,
  type UsageLedger,
} from '@steward/assistants'
import {
  type BudgetState,
  StewardError,
  USAGE_KEYS,
  USAGE_ORIGINS,
  type UsageKey,
  type UsageReport,
  type UsageRow,
  type UsageSum,
  unwrap,
  usageQuery,
} from '@steward/contract'
import { ensureHome, resolveHome, withLock } from '@steward/platform'
import { Command, Option } from 'commander'
import { findDaemonClient } from '../../daemon/daemon-client.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { formatCost } from '../../output/format.ts'
import { createLiveLine } from '../../output/live-line.ts'
import type { Paint } from '../../output/paint.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'

const HELP = `
Reads the records that Claude Code, Codex, Gemini CLI and OpenCode keep on this machine; nothing is
sent anywhere. Cost is what the assistant reported, or computed from list prices.

Examples:
  steward usage                             each of the last 30 days
  steward usage --by project --since 7d     where the money of a week went
  steward usage --by model --since 2026-11-01 --json
`

interface UsageFlags {
  by: UsageKey
  since?: string
  until?: string
  project?: string
  assistant?: string
  json?: true
  csv?: true
}

const LOCK_WAIT_MS = 60_000
const DEFAULT_SINCE = '30d'
const DAYS = { d: 1, w: 7 } as const

export const createUsageCommand = (io: Io): Command =>
  new Command('usage')
    .description('Show tokens and cost of your assistants')
    .addOption(
      new Option('--by <key>', 'one row per day, session, project…')
        .choices(USAGE_KEYS)
        .default('day'),
    )
    .option('--since <date>', 'from this day on: 2026-11-01, 7d, 4w or all', DEFAULT_SINCE)
    .option('--until <date>', 'up to and including this day')
    .option('--project <text>', 'only projects whose path contains this')
    .addOption(
      new Option('--assistant <name>', 'only this assistant, runs, hosted or observers').choices(
        USAGE_ORIGINS,
      ),
    )
    .option('--csv', 'print CSV')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action((flags: UsageFlags) => showUsage(io, flags))
    .addCommand(createImportCommand(io), { hidden: true })

/** The daemon runs it when there is much to read. */
const createImportCommand = (io: Io): Command =>
  new Command('import')
    .description("Read the assistants' records into the ledger")
    .action(async () => {
      // A person at the machine, and the daemon, come first.
      setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
      await withLedger(io, async (ledger) => {
        const problems = await updateLedger(io, ledger)
        for (const problem of problems) io.err.write(`warning: ${cleanText(problem)}\n`)
      })
    })

const showUsage = async (io: Io, flags: UsageFlags): Promise<void> => {
  const { since, until, ...rest } = flags
  const query = usageQuery.parse({
    ...rest,
    ...(since === undefined || since === 'all' ? {} : { since: dayOf(since, '--since', io.now()) }),
    ...(until === undefined ? {} : { until: dayOf(until, '--until', io.now()) }),
  })
  const report = await readReport(io, query)
  if (flags.json) printJson(io.out, report)
  else if (flags.csv) io.out.write(renderCsv(flags.by, report))
  else io.out.write(renderReport(flags.by, report, io.out))
  for (const problem of report.problems) io.err.write(`warning: ${cleanText(problem)}\n`)
}

const readReport = async (
  io: Io,
  query: ReturnType<typeof usageQuery.parse>,
): Promise<UsageReport> =>
  withLedger(io, async (ledger) => {
    const line = createLiveLine(io.err, io.now)
    try {
      line.begin('usage', "reading the assistants' records")
      const problems = await updateLedger(io, ledger)
      line.end('usage')
      const windows = ledger.windows(io.now())
      const budgets = await readBudgets(io)
      return { ...ledger.report(query, io.now()), windows, budgets, import: null, problems }
    } finally {
      line.close()
    }
  })

/** The daemon compares them with the ledger; without it they neither warn nor stop. */
const readBudgets = async (io: Io): Promise<BudgetState[]> => {
  try {
    const daemon = await findDaemonClient(io)
    return daemon === undefined ? [] : (await daemon.call('getUsage', {})).budgets
  } catch {
    // A daemon of another version, or one that starts, is no reason to show nothing.
    return []
  }
}

const withLedger = async <T>(io: Io, work: (ledger: UsageLedger) => Promise<T>): Promise<T> => {
  const home = resolveHome(io.env, io.homedir)
  unwrap(await ensureHome(home))
  const ledger = openUsageLedger(join(home.databases, 'usage.sqlite'))
  try {
    return await work(ledger)
  } finally {
    await ledger.close()
  }
}

const updateLedger = async (io: Io, ledger: UsageLedger): Promise<string[]> => {
  const home = resolveHome(io.env, io.homedir)
  const update = async (): Promise<string[]> => {
    const { records, problems } = await findRecords({
      env: io.env,
      homedir: io.homedir,
      home: home.root,
    })
    const changed = changedRecords(records, ledger)
    return [...problems, ...(await importHistory(changed, ledger))]
  }
  return withLock(join(home.databases, 'usage.lock'), update, { waitMs: LOCK_WAIT_MS })
}

/** A day, or one that many days or weeks ago. */
const dayOf = (text: string, option: string, nowMs: number): string => {
  const [, count, unit] = /^(\d{1,4})([dw])$/.exec(text) ?? []
  if (count !== undefined && (unit === 'd' || unit === 'w')) {
    const day = new Date(nowMs)
    day.setDate(day.getDate() - (Number(count) * DAYS[unit] - 1))
    return localDay(day)
  }
  if (usageQuery.shape.since.safeParse(text).success) return text
  const reason = `must be a day such as 2026-11-01, 7d or 4w, found "${text}"`
  throw new StewardError('invalid_input', { subject: option, reason })
}

const localDay = (date: Date): string => {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

const renderReport = (
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
    shorten(cleanText(row.title ?? row.key) || 'unknown', Math.max(LEAST_NAME, columns - taken)),
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

const GAP = 2
const LEAST_NAME = 12
const keepStart = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text
/** The folder of a project is at the end of its path. */
const keepEnd = (text: string, most: number): string =>
  text.length > most ? `…${text.slice(1 - most)}` : text

/** `$4.10 of $5.00 (82 %)`, with the limit that it belongs to. */
const renderBudgets = (budgets: readonly BudgetState[], paint: Paint): string => {
  if (budgets.length === 0) return ''
  const colours = { ok: paint.green, warn: paint.yellow, over: paint.red }
  const rows = budgets.map(({ name, session, usd, spent_usd, state, stop }) => [
    cleanText(name.replace(/^the budget of \$\S+ /, '')),
    `${formatCost(spent_usd)} of ${formatCost(usd)}`,
    `${Math.floor((spent_usd / usd) * 100)} %`,
    colours[state](state === 'over' && stop ? 'over, stops sessions' : state),
    session === undefined ? '' : `session ${session.slice(0, 8)}`,
  ])
  const head = ['budget', 'spent', 'share', 'state', ''].map(paint.dim)
  return `\n${formatTable([head, ...rows])}`
}

const cellsOf = (sum: UsageSum): string[] => [
  shortCount(sum.input_tokens),
  shortCount(sum.output_tokens),
  shortCount(sum.cache_read_tokens),
  shortCount(sum.cache_write_tokens),
  String(sum.sessions),
  sum.cost_usd === null ? describeKnown(sum) : formatCost(sum.cost_usd),
]

/** The part of a cost that is known, never a zero for what is not. */
const describeKnown = ({ reported_usd, computed_usd }: UsageSum): string => {
  const known = reported_usd + computed_usd
  return known === 0 ? formatCost(null) : `at least ${formatCost(known)}`
}

const STEPS = [
  [1_000_000_000, 'G'],
  [1_000_000, 'M'],
  [1000, 'k'],
] as const

/** `1.2M`, which fits a narrow terminal. */
const shortCount = (count: number): string => {
  for (const [size, unit] of STEPS) {
    if (count >= size) return `${(count / size).toFixed(count >= size * 100 ? 0 : 1)}${unit}`
  }
  return String(count)
}

const renderCsv = (by: UsageKey, { rows }: UsageReport): string => {
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
