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
  settings: () => Pick<Settings, 'assistant' | 'daidentity'>
  redactor: () => Redactor
  /** Part of a new task's id. */
  newId: () => string
}
