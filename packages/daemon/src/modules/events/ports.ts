import type { Settings } from '@steward/contract'
import type { Environment, Home, Redactor, StartTimer, WatchFolder } from '@steward/platform'
import type { Bus } from '../../bus/bus.ts'
import type { Log } from '../../log/log.ts'

export interface EventsPorts {
  home: Home
  bus: Bus
  log: Log
  /** The current settings; changes are announced on the bus. */
  settings: () => Settings
  environment: () => Environment
  redactor: () => Redactor
  /** Milliseconds since the epoch. */
  now: () => number
  /** Milliseconds of a monotonic clock. */
  elapsed?: () => number
  setTimer: StartTimer
  fetch: (address: string, init: RequestInit) => Promise<Response>
  /** A signal that aborts after the delay. */
  abortAfter: (delayMs: number) => AbortSignal
  watchFolder?: WatchFolder
}
