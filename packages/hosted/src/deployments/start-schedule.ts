import { type StewardError, toStewardError } from '@steward/contract'
import type { HostedDatabase } from '../database/hosted-database.ts'
import type { SessionPorts } from '../sessions/create-session.ts'
import { runOneDue } from './run-deployment.ts'

interface SchedulePorts extends SessionPorts {
  database: HostedDatabase
  now: () => number
  repeat: (everyMs: number, action: () => void) => () => void
  report: (error: StewardError, where: string) => void
}

/** Cron has minutes, so a second is soon enough. */
const LOOK_MS = 1000

/** Runs deployments at their times, beside any number of other processes; returns how to stop. */
export const startSchedule = (ports: SchedulePorts): (() => Promise<void>) => {
  let stopped = false
  let working: Promise<void> | undefined
  const runDue = async (): Promise<void> => {
    while (!stopped) {
      const run = await ports.database.write(() => runOneDue(ports, ports.now()))
      if (run === undefined) return
    }
  }
  const stop = ports.repeat(LOOK_MS, () => {
    working ??= runDue()
      .catch((thrown: unknown) => ports.report(toStewardError(thrown), 'deployments'))
      .finally(() => {
        working = undefined
      })
  })
  return async () => {
    stopped = true
    stop()
    await working
  }
}
