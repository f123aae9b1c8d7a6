import { join } from 'node:path'
import {
  createLedgerReports,
  type LedgerReports,
  openUsageLedger,
  type ReceivedCall,
  type UsageLedger,
} from '@steward/assistants'
import { API, reasonOf, type Settings, StewardError, type UsageRow } from '@steward/contract'
import { isProtobuf } from '@steward/http'
import { type Home, isLocked, type Redactor, readSessionNames } from '@steward/platform'
import type { Bus } from '../../bus/bus.ts'
import { type Call, type DaemonModule, handle } from '../../module.ts'
import type { UsageOfSessions } from '../../ports.ts'
import { keepLedger, type LedgerKeeper, type LedgerKeeperPorts } from './keep-ledger.ts'
import { readOtlpLogs, readOtlpMetrics } from './read-otlp.ts'
import { type FailureRecorder, recordFailures } from './record-failures.ts'
import { renderMetrics } from './render-metrics.ts'
import { type BudgetPorts, type BudgetWatch, watchBudgets } from './watch-budgets.ts'
import { createSummaryWriter, type SummaryPorts } from './write-summary.ts'

const NO_TOKENS = { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 }

export type UsageModulePorts = Omit<LedgerKeeperPorts, 'onFailure'> &
  Pick<BudgetPorts, 'notices'> &
  Pick<SummaryPorts, 'asking'> & {
    home: Home
    bus: Bus
    settings: () => Pick<Settings, 'usage'>
    redactor: () => Pick<Redactor, 'redactFields'>
  }

interface UsageParts {
  ledger: UsageLedger
  reports: LedgerReports
  keeper: LedgerKeeper
  budgets: BudgetWatch
  failures: FailureRecorder
}

export interface UsageModule extends DaemonModule {
  sessions: UsageOfSessions
}

/**
 * Tokens and cost of the assistants. Their history is imported in the background at the first start;
 * later rows are read as they are written.
 */
export const createUsageModule = (ports: UsageModulePorts): UsageModule => {
  const { now } = ports
  let parts: UsageParts | undefined

  const endings: Array<() => void> = []

  const opened = (): NonNullable<typeof parts> => {
    if (parts !== undefined) return parts
    throw new StewardError('module_failed', { module: 'usage', reason: 'it is not running' })
  }

  const attempt = async (what: string, work: () => Promise<void>): Promise<void> => {
    try {
      // The ledger is closed when the module stops.
      if (parts !== undefined) await work()
    } catch (thrown) {
      ports.log.warn(`${what}: ${reasonOf(thrown)}`)
    }
  }

  /** Names that a person or the daemon gave to sessions. */
  const withTitles = async (rows: readonly UsageRow[]): Promise<UsageRow[]> => {
    const read = await readSessionNames(ports.home)
    const names = read.ok ? ports.redactor().redactFields(read.value).value : {}
    return rows.map((row) => {
      const name = names[row.key]
      return typeof name === 'string' ? { ...row, title: name } : row
    })
  }

  const receive = (calls: readonly ReceivedCall[], call: Call): Response | Record<never, never> => {
    const { ledger, keeper } = opened()
    if (calls.length === 0) return acceptOtlp(call)
    try {
      ledger.receive(calls)
    } catch (thrown) {
      if (isLocked(thrown)) return askAgain()
      throw thrown
    }
    // Budgets and the status line count them, too.
    void keeper.update()
    return acceptOtlp(call)
  }

  return {
    name: 'usage',
    sessions: {
      of: async (session) => {
        if (parts === undefined) return null
        const { ledger, keeper } = parts
        await keeper.refresh()
        return parts === undefined ? null : ledger.session(session, now())
      },
      costs: async (sessions) => parts?.ledger.sumSessions(sessions) ?? new Map(),
      changes: async (since) =>
        parts?.ledger.sessionChanges(since) ?? { sessions: [], next: since, isAll: true },
    },
    handlers: [
      handle(API.getUsage, async ({ query }) => {
        const { ledger, reports, keeper, budgets } = opened()
        await keeper.refresh()
        const report = await reports.report(query, now())
        return {
          ...report,
          rows: query.by === 'session' ? await withTitles(report.rows) : report.rows,
          windows: ledger.windows(now()),
          budgets: budgets.states(),
          import: keeper.isImporting() ? (ledger.progress() ?? NOT_BEGUN) : null,
          problems: [...keeper.problems()],
        }
      }),
      handle(API.getMetrics, async () => {
        const { ledger, reports, keeper, budgets } = opened()
        await keeper.refresh()
        const totals = await reports.totals(now())
        const text = renderMetrics(totals, ledger.windows(now()), budgets.states())
        return new Response(text, { headers: { 'content-type': PROMETHEUS } })
      }),
      handle(API.receiveOtlpLogs, ({ body }, call) => receive(readOtlpLogs(body), call)),
      handle(API.receiveOtlpMetrics, ({ body }, call) => receive(readOtlpMetrics(body), call)),
      handle(API.receiveOtlpTraces, (_, call) => acceptOtlp(call)),
    ],
    start: async () => {
      const { prices } = ports.settings().usage
      const ledger = openUsageLedger(join(ports.home.databases, 'usage.sqlite'), prices)
      ledger.endImport()
      const budgets = watchBudgets(ledger, {
        ...ports,
        budgets: () => ports.settings().usage.budgets,
      })
      const writeSummary = createSummaryWriter(ledger, ports)
      // Summing up a long history would delay the start, and the first look follows soon.
      let hasLooked = false
      const summarize = (): void => {
        if (hasLooked) void attempt('the status line', writeSummary)
      }
      const onChange = (): void => {
        if (hasLooked) void attempt('budgets', budgets.check)
        summarize()
      }
      const failures = recordFailures(ports)
      const keeper = keepLedger(ledger, { ...ports, onFailure: failures.record }, () => {
        hasLooked = true
        onChange()
      })
      endings.push(
        ports.bus.subscribe('live.changed', ({ topics }) => {
          if (topics.includes('attention')) summarize()
          if (topics.includes('hosted')) void keeper.update()
        }),
        ports.bus.subscribe('settings.changed', () => {
          void attempt('prices', async () => ledger.setPrices(ports.settings().usage.prices))
          onChange()
        }),
        ports.bus.subscribe('turn.cost', ({ totalUsd, branch, ...told }) => {
          const { assistant, session, project, atMs, costUsd } = told
          const at = { project, atMs, ...(branch === null ? {} : { branch }) }
          const call = { session, model: assistant, tokens: NO_TOKENS, costUsd, ...at }
          // Like metrics, it counts until the assistant's own records or logs are there.
          ledger.receive([{ assistant, source: 'metrics', key: `cost ${totalUsd}`, call }])
          onChange()
        }),
      )
      parts = { ledger, reports: createLedgerReports(ledger), keeper, budgets, failures }
      // Looking at thousands of files would delay the start of everything else.
      endings.push(ports.setTimer(FIRST_LOOK_MS, () => void keeper.refresh()))
    },
    stop: async () => {
      const open = parts
      parts = undefined
      for (const end of endings.splice(0)) end()
      await open?.keeper.stop()
      await open?.failures.stop()
      open?.reports.close()
      await open?.ledger.close()
    },
    health: () => {
      const [problem] = parts?.keeper.problems() ?? []
      return {
        status: problem === undefined ? 'ok' : 'degraded',
        ...(problem === undefined ? {} : { reason: problem }),
        importing: parts?.keeper.isImporting() ?? false,
      }
    },
  }
}

/** Nothing was refused, in the format of the request; in protobuf that is no bytes at all. */
const acceptOtlp = (call: Call): Response | Record<never, never> => {
  if (!isProtobuf(call.header('content-type'))) return {}
  return new Response(null, { headers: { 'content-type': 'application/x-protobuf' } })
}

/** The end of a large import locks the ledger for seconds; senders repeat what is refused in this way. */
const askAgain = (): Response =>
  Response.json(
    { message: 'the ledger is being written by an import' },
    { status: 503, headers: { 'retry-after': '5' } },
  )

const PROMETHEUS = 'text/plain; version=0.0.4; charset=utf-8'
/** The daemon answers before it looks for new records, unless somebody asks. */
export const FIRST_LOOK_MS = 1000
const NOT_BEGUN = { done: 0, total: 0, bytes: 0 }
