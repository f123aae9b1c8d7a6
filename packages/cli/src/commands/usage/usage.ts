import { constants, setPriority } from 'node:os'
import { resolve } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { measureBudget, type UsageLedger, updateUsage, withUsageLedger } from '@steward/assistants'
import {
  StewardError,
  USAGE_KEYS,
  USAGE_ORIGINS,
  type UsageKey,
  type UsageReport,
  type UsageRow,
  unwrap,
  usageQuery,
} from '@steward/contract'
import { ensureHome, readSessionNames, readSettings, resolveHome } from '@steward/platform'
import { Command, Option } from 'commander'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { createLiveLine } from '../../output/live-line.ts'
import { printJson } from '../../output/print-json.ts'
import { renderCsv, renderReport } from './render-usage.ts'

const HELP = `
Reads the records that Claude Code, Codex, Gemini CLI and OpenCode keep on this machine; nothing is
sent anywhere. Cost is reported by the assistant, or computed from list prices.

Examples:
  steward usage                             each of the last 30 days
  steward usage --by project --since 7d     cost of a week by project
  steward usage --by session --project .    sessions of this folder
  steward usage --by model --since 2026-11-01 --json
`

interface UsageFlags {
  by: UsageKey
  since?: string
  until?: string
  project?: string
  session?: string
  assistant?: string
  json?: true
  csv?: true
}

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
    .option('--project <text>', 'only this folder, or paths that contain this')
    .option('--session <id>', 'only this session')
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
      // The memory would grow with the number of transcripts before anything is collected.
      setFlagsFromString('--semi-space-growth-factor=1')
      setFlagsFromString('--heap-growing-percent=100')
      await withLedger(io, async (ledger) => {
        const problems = await updateLedger(io, ledger)
        for (const problem of problems) io.err.write(`warning: ${cleanText(problem)}\n`)
      })
    })

const showUsage = async (io: Io, flags: UsageFlags): Promise<void> => {
  const { since, until, project, ...rest } = flags
  const query = usageQuery.parse({
    ...rest,
    ...(project === undefined ? {} : { project: folderOf(project, io.cwd) }),
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
      const home = resolveHome(io.env, io.homedir)
      const { usage } = unwrap(await readSettings(home))
      const report = ledger.report(query, io.now())
      return {
        ...report,
        rows: query.by === 'session' ? await withNames(io, report.rows) : report.rows,
        windows: ledger.windows(io.now()),
        budgets: usage.budgets.flatMap((each) => measureBudget(ledger, each, io.now()).states),
        import: null,
        problems,
      }
    } finally {
      line.close()
    }
  })

/** Names that a person or the daemon gave to sessions. */
const withNames = async (io: Io, rows: readonly UsageRow[]): Promise<UsageRow[]> => {
  const names = await readSessionNames(resolveHome(io.env, io.homedir))
  return rows.map((row) => {
    const name = names.ok ? names.value[row.key] : undefined
    return typeof name === 'string' ? { ...row, title: name } : row
  })
}

const withLedger = async <T>(io: Io, work: (ledger: UsageLedger) => Promise<T>): Promise<T> => {
  const home = unwrap(await ensureHome(resolveHome(io.env, io.homedir)))
  const { usage } = unwrap(await readSettings(home))
  return withUsageLedger(home, work, usage.prices)
}

const updateLedger = (io: Io, ledger: UsageLedger): Promise<string[]> => {
  const { root, databases } = resolveHome(io.env, io.homedir)
  return updateUsage(ledger, { env: io.env, homedir: io.homedir, home: root, databases })
}

/** `.` and `./web` are folders; other words are parts of a path. */
const folderOf = (text: string, cwd: string): string =>
  /^\.\.?(\/|$)/.test(text) ? resolve(cwd, text) : text

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
