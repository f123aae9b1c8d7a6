import { setTimeout as wait } from 'node:timers/promises'
import { type DaemonClient, HOSTS, type UsageReport } from '@steward/contract'
import type { Io } from '../../io.ts'
import { formatCost } from '../../output/format.ts'
import { createProgressBar } from '../../output/progress-bar.ts'

const LOOK_MS = 200
/** A longer import goes on in the background. */
const LONGEST_MS = 15_000
const DAY_MS = 86_400_000

/** Shows how far the daemon is with importing the assistants' history, then what it found. */
export const showHistory = async (io: Io, client: DaemonClient): Promise<void> => {
  const since = new Date(io.now() - 30 * DAY_MS).toISOString().slice(0, 10)
  const read = () => client.call('getUsage', { query: { by: 'assistant', since } })
  const bar = createProgressBar(io.err, 'Importing the history of your assistants')
  const until = io.now() + LONGEST_MS
  // The import goes on without this line, and so must the start.
  let report = await read().catch(() => undefined)
  try {
    while (report?.import && io.now() < until && !io.signal.aborted) {
      bar.show(report.import.done, report.import.total)
      await wait(LOOK_MS, undefined, { signal: io.signal }).catch(() => undefined)
      report = await read().catch(() => undefined)
    }
  } finally {
    bar.clear()
  }
  if (report !== undefined) io.out.write(describe(report))
}

const describe = ({ rows, import: running }: UsageReport): string => {
  // Runs of flows are counted by the ledger, too; here people look for their assistants.
  const own = rows.filter(({ key }) => HOSTS.some((host) => host === key))
  const sessions = own.reduce((sum, row) => sum + row.sessions, 0)
  if (sessions === 0 && running === null) return ''
  const cost = own.reduce((sum, row) => sum + row.reported_usd + row.computed_usd, 0)
  const isWhole = own.every((row) => row.cost_usd !== null)
  const rest = running === null ? '' : `; ${running.total - running.done} files are still imported`
  return `History     ${sessions} sessions in 30 days, ${isWhole ? '' : 'at least '}${formatCost(cost)}${rest}\n`
}
