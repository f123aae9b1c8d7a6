import { join } from 'node:path'
import {
  API,
  type ModuleHealth,
  OBSERVER_VERDICTS_FILE,
  type ObservedSession,
  type ObserverVerdict,
  observerVerdict,
  reasonOf,
  unwrap,
} from '@steward/contract'
import { type Home, liftHalt, type Redactor, readHalts, readTail } from '@steward/platform'
import type { Bus } from '../../bus/bus.ts'
import type { Log } from '../../log/log.ts'
import { type DaemonModule, handle } from '../../module.ts'

export interface ObserversModulePorts {
  home: Home
  bus: Bus
  log: Log
  redactor: () => Pick<Redactor, 'redact'>
}

/** Verdicts that are read to summarise sessions, and the number shown. */
const READ_ROWS = 2000
const SHOWN_ROWS = 200

/** Votes of observer teams, and halted sessions. The teams themselves run as `steward observe`. */
export const createObserversModule = ({
  home,
  bus,
  log,
  redactor,
}: ObserversModulePorts): DaemonModule => {
  let fault: string | undefined
  let strangeRows = 0

  const readVerdicts = async (): Promise<ObserverVerdict[]> => {
    const { rows } = await readTail(join(home.root, OBSERVER_VERDICTS_FILE), { rows: READ_ROWS })
    const verdicts = rows.flatMap(({ row }) => {
      const parsed = observerVerdict.safeParse(redactor().redact(row).value)
      return parsed.success ? [parsed.data] : []
    })
    strangeRows = rows.length - verdicts.length
    return verdicts
  }

  /** A fault stays in health until a read succeeds. */
  const reading = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      const value = await work()
      fault = undefined
      return value
    } catch (thrown) {
      const reason = reasonOf(thrown)
      if (fault !== reason) log.error(`observers: ${reason}`)
      fault = reason
      throw thrown
    }
  }

  const listObservers = handle(API.listObservers, () =>
    reading(async () => {
      const verdicts = await readVerdicts()
      const halts = unwrap(await readHalts(home))
      return {
        sessions: summariseSessions(verdicts),
        verdicts: verdicts.slice(-SHOWN_ROWS).reverse(),
        halts: halts,
      }
    }),
  )
  const liftObserverHalt = handle(API.liftObserverHalt, async ({ body: { session_id } }) => {
    const halts = unwrap(await readHalts(home))
    unwrap(await liftHalt(home, session_id))
    bus.publish('live.changed', { topics: ['observers'] })
    return { lifted: halts.some((halt) => halt.session_id === session_id) }
  })

  return {
    name: 'observers',
    handlers: [listObservers, liftObserverHalt],
    health: (): ModuleHealth => ({
      status: fault === undefined ? 'ok' : 'degraded',
      ...(fault === undefined ? {} : { reasons: [fault] }),
      strangeRows,
    }),
  }
}

/** Summarises verdicts (oldest first) per session; the most recently judged session comes first. */
const summariseSessions = (verdicts: readonly ObserverVerdict[]): ObservedSession[] => {
  const bySession = new Map<string, ObserverVerdict[]>()
  for (const verdict of verdicts) {
    const own = bySession.get(verdict.session_id) ?? []
    bySession.set(verdict.session_id, [...own, verdict])
  }
  return [...bySession.values()]
    .flatMap((own) => {
      const [first, last] = [own[0], own.at(-1)]
      return first === undefined || last === undefined ? [] : [summarise(own, first, last)]
    })
    .toSorted((a, b) => b.lastAt.localeCompare(a.lastAt))
}

const summarise = (
  own: readonly ObserverVerdict[],
  first: ObserverVerdict,
  last: ObserverVerdict,
): ObservedSession => ({
  session_id: last.session_id,
  cycles: own.length,
  continued: own.filter(({ decision }) => decision === 'continue').length,
  escalated: own.filter(({ escalated }) => escalated).length,
  halted: own.filter(({ decision }) => decision === 'halt').length,
  firstAt: first.timestamp,
  lastAt: last.timestamp,
  cost_usd: last.cost.total_usd,
  per_primary_hour_usd: last.cost.per_primary_hour_usd,
  last,
})
