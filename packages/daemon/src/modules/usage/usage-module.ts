import { join } from 'node:path'
import { openUsageLedger, type UsageLedger } from '@steward/assistants'
import { API, StewardError } from '@steward/contract'
import { type DaemonModule, handle } from '../../module.ts'
import { keepLedger, type LedgerKeeper, type LedgerKeeperPorts } from './keep-ledger.ts'

export type UsageModulePorts = LedgerKeeperPorts

/**
 * Tokens and cost of the assistants. Their history is imported in the background at the first start;
 * later rows are read as they are written.
 */
export const createUsageModule = (ports: UsageModulePorts): DaemonModule => {
  let parts: { ledger: UsageLedger; keeper: LedgerKeeper } | undefined

  const opened = (): NonNullable<typeof parts> => {
    if (parts !== undefined) return parts
    throw new StewardError('module_failed', { module: 'usage', reason: 'it is not running' })
  }

  return {
    name: 'usage',
    handlers: [
      handle(API.getUsage, async ({ query }) => {
        const { ledger, keeper } = opened()
        if (!keeper.isImporting()) await keeper.update()
        return {
          ...ledger.report(query),
          import: keeper.isImporting() ? (ledger.progress() ?? NOT_BEGUN) : null,
          problems: [...keeper.problems()],
        }
      }),
    ],
    start: async () => {
      const ledger = openUsageLedger(join(ports.home.databases, 'usage.sqlite'))
      ledger.endImport()
      const keeper = keepLedger(ledger, ports, () => undefined)
      parts = { ledger, keeper }
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
