import type { Settings } from '@steward/contract'
import type { Home, Redactor, StartTimer } from '@steward/platform'
import type { Bus } from '../../bus/bus.ts'
import type { Log } from '../../log/log.ts'
import type { ScheduledJobs } from '../../ports.ts'

/** Calls back when a folder changes; returns the function that stops watching. */
type WatchFolder = (path: string, onChange: () => void) => () => void

export interface SessionsPorts {
  home: Home
  bus: Bus
  log: Log
  /** Milliseconds since the epoch. */
  now: () => number
  setTimer: StartTimer
  watchFolder: WatchFolder
  /** The current settings; changes are announced on the bus. */
  settings: () => Pick<Settings, 'sessions'>
  redactor: () => Redactor
  jobs: ScheduledJobs
}
