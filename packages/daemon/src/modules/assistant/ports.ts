import type { Settings } from '@steward/contract'
import type { Home, Redactor, StartTimer } from '@steward/platform'
import type { Bus } from '../../bus/bus.ts'
import type { Log } from '../../log/log.ts'
import type { Execution, Notices } from '../../ports.ts'

export interface AssistantModulePorts {
  home: Home
  bus: Bus
  notices: Notices
  execution: Execution
  log: Log
  now: () => number
  setTimer: StartTimer
  settings: () => Pick<Settings, 'algorithm' | 'assistant' | 'daidentity'>
  redactor: () => Redactor
  /** The command line that starts Steward, from any folder. */
  commandLine: string
  /** Part of a new task's id. */
  newId: () => string
}
