import { openSteward } from '@steward/local'
import type { Home } from '@steward/memory'
import type { Bus } from './bus/bus.ts'
import type { Log } from './log/log.ts'
import type { DaemonModule } from './module.ts'
import { createEventsModule } from './modules/events/index.ts'
import { createExecutionModule } from './modules/execution/index.ts'
import { createWatchdogModule } from './modules/watchdog/index.ts'
import type { SetTimer } from './server/module-runner.ts'
import type { CurrentSettings } from './settings/settings-keeper.ts'

/** What modules are made of. */
export interface ModuleParts {
  home: Home
  bus: Bus
  log: Log
  now: () => number
  setTimer: SetTimer
  current: () => CurrentSettings
  /** What the process was given. */
  processEnvironment: Readonly<Record<string, string | undefined>>
  homedir: string
  /** Takes lines for standard output. */
  writeOut: (line: string) => void
  /** The actions, pipelines and flows that ship with Steward. */
  library: string
}

/** Every module of this version, in the order they start: listeners before who speaks to them. */
export const composeModules = (parts: ModuleParts): DaemonModule[] => {
  const { home, bus, log, now, setTimer, current } = parts
  const live = {
    settings: () => current().settings,
    environment: () => current().environment,
    redactor: () => current().redactor,
  }
  return [
    createWatchdogModule({ home, bus, log, now, setTimer, ...live, writeOut: parts.writeOut }),
    createEventsModule({
      home,
      bus,
      log,
      now,
      setTimer,
      ...live,
      fetch,
      abortAfter: AbortSignal.timeout,
    }),
    createExecutionModule({
      open: () =>
        openSteward({
          env: { ...parts.processEnvironment, STEWARD_HOME: home.root },
          homedir: parts.homedir,
          builtIn: parts.library,
        }),
      bus,
      log,
      setTimer,
    }),
  ]
}

/** Named in `/health`, so that nobody looks for what is not there. */
export const NOT_IN_THIS_VERSION = ['voice', 'hooks', 'assistant', 'wiki', 'cron'] as const
