import { readFile, stat } from 'node:fs/promises'
import { type ModuleHealth, type Settings, type StewardError, unwrap } from '@steward/contract'
import {
  coalesce,
  createEnvironment,
  createRedactor,
  type Environment,
  type Home,
  type Redactor,
  readEnvFile,
  readSettings,
  type StartTimer,
  secretsOf,
} from '@steward/platform'
import type { Bus } from '../bus/bus.ts'
import type { Log } from '../log/log.ts'
import type { DaemonModule } from '../module.ts'

/** The current configuration. */
export interface CurrentSettings {
  settings: Settings
  /** The process's environment, then `.env`. */
  environment: Environment
  redactor: Redactor
}

export interface SettingsKeeperPorts {
  home: Home
  processEnvironment: Readonly<Record<string, string | undefined>>
  bus: Bus
  log: Log
  setTimer: StartTimer
  /** Calls back when a folder changes; returns the function that stops watching. */
  watchFolder: (path: string, onChange: () => void) => () => void
  /** Settings that need a restart to take effect. */
  explainPending: (settings: Settings) => string[]
}

export interface SettingsKeeper {
  current: () => CurrentSettings
  module: DaemonModule
  /** Checks the files now. */
  reload: () => Promise<void>
}

const POLL_MS = 1000
/** Editors write in several steps, and the first is rarely the complete file. */
const SETTLE_MS = 50

/** Reads `settings.json` and `.env` at start; a mistake is thrown with line and key. */
export const readCurrentSettings = async (
  home: Home,
  processEnvironment: SettingsKeeperPorts['processEnvironment'],
): Promise<CurrentSettings> => {
  const settings = unwrap(await readSettings(home))
  const variables = unwrap(await readEnvFile(home.envFile))
  const environment = createEnvironment(processEnvironment, variables)
  return combine(settings, environment, await readSecret(home.token))
}

/**
 * Keeps the settings current while the daemon runs. Changes take effect immediately; a broken file is
 * reported in the log and in health, and the last valid settings stay in force.
 */
export const createSettingsKeeper = (
  initial: CurrentSettings,
  ports: SettingsKeeperPorts,
): SettingsKeeper => {
  const { home, processEnvironment, bus, log, setTimer, watchFolder, explainPending } = ports
  const files = [home.settings, home.envFile, home.token]
  let current = initial
  let mistakes: readonly StewardError[] = []
  let seen = ''
  let reading: Promise<void> = Promise.resolve()
  let isStopped = false
  let stopWatching: (() => void)[] = []
  let cancelSettle: (() => void) | undefined

  const read = async (): Promise<void> => {
    const before = await signatureOf(files)
    if (before === seen) return
    const settings = await readSettings(home)
    const variables = await readEnvFile(home.envFile)
    seen = before
    report([settings, variables].flatMap((each) => (each.ok ? [] : [each.error])))
    if (!settings.ok || !variables.ok) return
    const environment = createEnvironment(processEnvironment, variables.value)
    const next = combine(settings.value, environment, await readSecret(home.token))
    const isSameAsBefore = isSame(next, current)
    current = next
    if (isSameAsBefore) return
    log.info('settings changed and are in force')
    for (const pending of explainPending(current.settings)) log.warn(pending)
    bus.publish('settings.changed', { settings: current.settings })
  }
  const report = (errors: readonly StewardError[]) => {
    const said = new Set(mistakes.map(({ message }) => message))
    for (const { message } of errors) {
      if (!said.has(message)) log.error(`${message}; the last valid settings stay in force`)
    }
    mistakes = errors
  }
  const readOnce = coalesce(read)
  const reload = (): Promise<void> => {
    reading = readOnce()
    return reading
  }
  const poll = () => {
    if (isStopped) return
    stopPolling = setTimer(POLL_MS, () => {
      reload().then(poll, (thrown: unknown) => {
        log.error(`settings could not be checked: ${String(thrown)}`)
        poll()
      })
    })
  }
  let stopPolling: (() => void) | undefined

  return {
    current: () => current,
    reload,
    module: {
      name: 'settings',
      handlers: [],
      start: async () => {
        seen = ''
        await reload()
        stopWatching = [
          watchFolder(home.root, () => {
            cancelSettle?.()
            cancelSettle = setTimer(SETTLE_MS, () => {
              reload().catch((thrown: unknown) => {
                log.error(`settings could not be checked: ${String(thrown)}`)
              })
            })
          }),
        ]
        poll()
      },
      stop: async () => {
        isStopped = true
        for (const stop of stopWatching) stop()
        cancelSettle?.()
        stopPolling?.()
        await reading
      },
      health: (): ModuleHealth => {
        const reasons = [
          ...mistakes.map(({ message }) => `${message}; the last valid settings stay in force`),
          ...explainPending(current.settings),
        ]
        return reasons.length === 0 ? { status: 'ok' } : { status: 'degraded', reasons }
      },
    },
  }
}

const combine = (
  settings: Settings,
  environment: Environment,
  token: string | undefined,
): CurrentSettings => ({
  settings,
  environment,
  redactor: createRedactor({
    ...secretsOf(environment),
    ...(token === undefined ? {} : { token }),
  }),
})

/** Read only to mask the token in output; the access check reports when it cannot be read. */
const readSecret = async (path: string): Promise<string | undefined> => {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  return text?.trim()
}

const isSame = (one: CurrentSettings, other: CurrentSettings): boolean =>
  JSON.stringify([one.settings, one.environment]) ===
  JSON.stringify([other.settings, other.environment])

/** Detects a changed file without reading it. */
const signatureOf = async (paths: readonly string[]): Promise<string> => {
  const parts = await Promise.all(
    paths.map(async (path) => {
      const found = await stat(path, { bigint: true }).catch(() => undefined)
      return found === undefined
        ? '-'
        : `${found.ino}:${found.size}:${found.mtimeNs}:${found.ctimeNs}`
    }),
  )
  return parts.join('|')
}
