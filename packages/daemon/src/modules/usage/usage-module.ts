import { join } from 'node:path'
import { openUsageLedger, type UsageLedger } from '@steward/assistants'
import { API, reasonOf, type Settings, StewardError, type UsageRow } from '@steward/contract'
import { type Home, type Redactor, readSessionNames } from '@steward/platform'
import { type DaemonModule, handle } from '../../module.ts'
import { keepLedger, type LedgerKeeper, type LedgerKeeperPorts } from './keep-ledger.ts'
import { type BudgetPorts, type BudgetWatch, watchBudgets } from './watch-budgets.ts'

export type UsageModulePorts = LedgerKeeperPorts &
  Pick<BudgetPorts, 'notices'> & {
    home: Home
    settings: () => Pick<Settings, 'usage'>
    redactor: () => Pick<Redactor, 'redactFields'>
  }

/**
 * Tokens and cost of the assistants. Their history is imported in the background at the first start;
 * later rows are read as they are written.
 */
export const createUsageModule = (ports: UsageModulePorts): DaemonModule => {
  const { now } = ports
  let parts: { ledger: UsageLedger; keeper: LedgerKeeper; budgets: BudgetWatch } | undefined

  const opened = (): NonNullable<typeof parts> => {
    if (parts !== undefined) return parts
    throw new StewardError('module_failed', { module: 'usage', reason: 'it is not running' })
  }

  const checkBudgets = async (budgets: BudgetWatch): Promise<void> => {
    try {
      await budgets.check()
    } catch (thrown) {
      ports.log.warn(`budgets: ${reasonOf(thrown)}`)
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

  return {
    name: 'usage',
    handlers: [
      handle(API.getUsage, async ({ query }) => {
        const { ledger, keeper, budgets } = opened()
        if (!keeper.isImporting()) await keeper.update()
        const report = ledger.report(query, now())
        return {
          ...report,
          rows: query.by === 'session' ? await withTitles(report.rows) : report.rows,
          windows: ledger.windows(now()),
          budgets: budgets.states(),
          import: keeper.isImporting() ? (ledger.progress() ?? NOT_BEGUN) : null,
          problems: [...keeper.problems()],
        }
      }),
    ],
    start: async () => {
      const ledger = openUsageLedger(join(ports.home.databases, 'usage.sqlite'))
      ledger.endImport()
      const budgets = watchBudgets(ledger, {
        ...ports,
        budgets: () => ports.settings().usage.budgets,
      })
      const keeper = keepLedger(ledger, ports, () => void checkBudgets(budgets))
      parts = { ledger, keeper, budgets }
      void keeper.update()
    },
    stop: async () => {
      await parts?.keeper.stop()
      await parts?.ledger.close()
      parts = undefined
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

const NOT_BEGUN = { done: 0, total: 0, bytes: 0 }
