import { join } from 'node:path'
import { createWatchdog, describeSilence } from '@steward/agents'
import { type ModuleHealth, reasonOf, type Schema, type Settings } from '@steward/contract'
import {
  type Home,
  type Redactor,
  readRecentAgentEvents,
  readStateFile,
  type StartTimer,
  writeStateFile,
} from '@steward/platform'
import { z } from 'zod'
import type { Bus } from '../../bus/bus.ts'
import type { Log } from '../../log/log.ts'
import type { DaemonModule } from '../../module.ts'

export interface WatchdogModulePorts {
  home: Pick<Home, 'root' | 'stateDir'>
  bus: Bus
  log: Log
  now: () => number
  setTimer: StartTimer
  settings: () => Pick<Settings, 'watchdog'>
  redactor: () => Pick<Redactor, 'redactText'>
  /** Receives lines for standard output, which spec 2, Events requires for its notifications. */
  writeOut: (line: string) => void
}

/** Alerts when background agents of any session are silent. */
export const createWatchdogModule = (ports: WatchdogModulePorts): DaemonModule => {
  const { home, bus, log, now, setTimer, settings, redactor, writeOut } = ports
  const silenceMs = () => settings().watchdog.silenceSeconds * 1000
  const watchdog = createWatchdog({ now, silenceMs })
  const endings: Array<() => void> = []
  let cancelLook = (): void => undefined
  let pastFault: string | undefined
  let alertCount = 0
  let lastAlertAt: string | null = null
  const told = createTold(join(home.stateDir, 'watchdog-told.json'), log)

  const look = (): void => {
    cancelLook()
    const { alerts, nextLookMs } = watchdog.look()
    for (const alert of settings().watchdog.enabled ? alerts : []) {
      // A restarted daemon finds the same silence again.
      if (!told.add(`${alert.session_id} ${alert.subagent_id} ${alert.since}`)) continue
      const message = redactor().redactText(describeSilence(alert)).value
      alertCount++
      lastAlertAt = new Date(now()).toISOString()
      writeOut(`${message}\n`)
      bus.publish('notice', { kind: 'watchdog', message, session_id: alert.session_id })
    }
    cancelLook = nextLookMs === undefined ? () => undefined : setTimer(nextLookMs, look)
  }

  const readPast = async (): Promise<void> => {
    try {
      watchdog.begin(await readRecentAgentEvents(home))
    } catch (thrown) {
      pastFault = `agents that were active before the start are unknown: ${reasonOf(thrown)}`
      log.warn(`watchdog: ${pastFault}`)
    }
  }

  return {
    name: 'watchdog',
    handlers: [],
    start: async () => {
      // Subscribed before the logs are read: a row that arrives meanwhile is seen twice rather than
      // never.
      endings.push(
        bus.subscribe('events.arrived', ({ events }) => {
          watchdog.see(events)
          look()
        }),
        bus.subscribe('settings.changed', look),
      )
      await told.load()
      await readPast()
      look()
    },
    stop: async () => {
      for (const end of endings.splice(0)) end()
      cancelLook()
      await told.settle()
    },
    health: (): ModuleHealth => {
      const { enabled, silenceSeconds } = settings().watchdog
      if (!enabled) return { status: 'unavailable', reasons: ['watchdog.enabled is false'] }
      return {
        status: pastFault === undefined ? 'ok' : 'degraded',
        ...(pastFault === undefined ? {} : { reasons: [pastFault] }),
        watched: watchdog.watched(),
        silenceSeconds,
        alerts: alertCount,
        lastAlertAt,
      }
    },
  }
}

const MOST_TOLD = 200

/** Older versions wrote the list alone. */
const toldFile: Schema<string[]> = z.union([
  z.array(z.string()),
  z.object({ told: z.array(z.string()) }).transform(({ told }) => told),
])

/** The silences that were reported, kept across restarts. */
const createTold = (path: string, log: Pick<Log, 'warn'>) => {
  let told: string[] = []
  let writing: Promise<void> = Promise.resolve()
  return {
    load: async (): Promise<void> => {
      const read = await readStateFile(path, toldFile, [])
      if (read.ok) told = read.value
      else log.warn(`watchdog: silences may be reported again: ${read.error.message}`)
    },
    /** False if it was told before. */
    add: (silence: string): boolean => {
      if (told.includes(silence)) return false
      told = [...told, silence].slice(-MOST_TOLD)
      const content = { told }
      writing = writing
        .then(() => writeStateFile(path, content))
        .catch((thrown: unknown) => log.warn(`watchdog: ${reasonOf(thrown)}`))
      return true
    },
    settle: () => writing,
  }
}
