import { openSteward } from '@steward/local'
import type { Home } from '@steward/memory'
import type { Bus } from './bus/bus.ts'
import type { Log } from './log/log.ts'
import type { DaemonModule } from './module.ts'
import { createExecutionModule } from './modules/execution/index.ts'
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
  /** The actions, pipelines and flows that ship with Steward. */
  library: string
}

/** Every module of this version, in the order they start. */
export const composeModules = (parts: ModuleParts): DaemonModule[] => [
  createExecutionModule({
    open: () =>
      openSteward({
        env: { ...parts.processEnvironment, STEWARD_HOME: parts.home.root },
        homedir: parts.homedir,
        builtIn: parts.library,
      }),
    bus: parts.bus,
    log: parts.log,
    setTimer: parts.setTimer,
  }),
]

/** Named in `/health`, so that nobody looks for what is not there. */
export const NOT_IN_THIS_VERSION = ['voice', 'hooks', 'assistant', 'wiki', 'cron'] as const
