import type { Home, Redactor, StartTimer, WatchFolder } from '@steward/platform'
import type { Bus } from '../../bus/bus.ts'
import type { Log } from '../../log/log.ts'

export interface WorkModulePorts {
  home: Home
  bus: Bus
  log: Log
  now: () => number
  setTimer: StartTimer
  redactor: () => Redactor
  watchFolder: WatchFolder
}
