import { join } from 'node:path'
import {
  type ImportPorts,
  importUsage,
  openUsageLedger,
  type UsageLedger,
} from '@steward/assistants'
import { API, reasonOf, StewardError, type UsageReport } from '@steward/contract'
import { coalesce, type Home, withLock } from '@steward/platform'
import type { Log } from '../../log/log.ts'
import { type DaemonModule, handle } from '../../module.ts'

export interface UsageModulePorts {
  home: Pick<Home, 'databases'>
  log: Log
  place: ImportPorts['place']
}

/** A command that imports at the same time has at most this long. */
const LOCK_WAIT_MS = 60_000

/**
 * Tokens and cost of the assistants. Their history is imported in the background at the first start;
 * later answers contain every row that was on disk when they were requested.
 */
export const createUsageModule = ({ home, log, place }: UsageModulePorts): DaemonModule => {
  const stopping = new AbortController()
  let ledger: UsageLedger | undefined
  let problems: string[] = []
  let importing: UsageReport['importing'] = null
  let history: Promise<void> = Promise.resolve()

  const update = coalesce(async () => {
    if (ledger === undefined || stopping.signal.aborted) return
    const ports = { place, ledger, signal: stopping.signal }
    const onFile = (done: number, of: number): void => {
      if (importing !== null) importing = { done, of }
    }
    problems = await withLock(
      join(home.databases, 'usage.lock'),
      () => importUsage({ ...ports, onFile }),
      { waitMs: LOCK_WAIT_MS },
    )
  })

  const importHistory = async (): Promise<void> => {
    importing = { done: 0, of: 0 }
    try {
      await update()
    } catch (thrown) {
      problems = [reasonOf(thrown)]
      log.warn(`usage: ${reasonOf(thrown)}`)
    } finally {
      importing = null
    }
  }

  return {
    name: 'usage',
    handlers: [
      handle(API.getUsage, async ({ query }) => {
        if (ledger === undefined) {
          const reason = 'it is not running'
          throw new StewardError('module_failed', { module: 'usage', reason })
        }
        if (importing === null) await update()
        return { ...ledger.report(query), importing, problems }
      }),
    ],
    start: async () => {
      ledger = openUsageLedger(join(home.databases, 'usage.sqlite'))
      history = importHistory()
    },
    stop: async () => {
      stopping.abort()
      await history
      await ledger?.close()
    },
    health: () => ({
      status: problems.length === 0 ? 'ok' : 'degraded',
      ...(problems[0] === undefined ? {} : { reason: problems[0] }),
      ...(importing === null ? {} : { importing }),
    }),
  }
}
