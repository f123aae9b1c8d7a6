import type { Home, Redactor, StartTimer } from '@steward/platform'
import type { Bus } from '../../bus/bus.ts'
import type { Log } from '../../log/log.ts'

export interface HistoryPorts {
  home: Home
  bus: Bus
  log: Log
  now: () => number
  setTimer: StartTimer
  redactor: () => Redactor
}
