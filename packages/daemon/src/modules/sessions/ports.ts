import type { Settings } from '@steward/contract'
import type { Home, Redactor, StartTimer } from '@steward/platform'
import type { Bus } from '../../bus/bus.ts'
import type { Log } from '../../log/log.ts'

/** Calls back when something in a folder changes; what it gives back ends it. */
type WatchFolder = (path: string, onChange: () => void) => () => void

export interface SessionsPorts {
  home: Home
  bus: Bus
  log: Log
  /** Milliseconds since the epoch. */
  now: () => number
  setTimer: StartTimer
  watchFolder: WatchFolder
  /** As they are now; a change is announced on the bus. */
  settings: () => Pick<Settings, 'sessions'>
  redactor: () => Redactor
}
