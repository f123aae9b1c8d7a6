import type { Settings } from '@steward/contract'
import type { Environment, Home, Redactor, StartTimer, WatchFolder } from '@steward/platform'
import type { Bus } from '../../bus/bus.ts'
import type { Log } from '../../log/log.ts'

export interface EventsPorts {
  home: Home
  bus: Bus
  log: Log
  /** As they are now; a change is announced on the bus. */
  settings: () => Settings
  environment: () => Environment
  redactor: () => Redactor
  /** Milliseconds since the epoch. */
  now: () => number
  /** Milliseconds of a clock that nobody sets. */
  elapsed?: () => number
  setTimer: StartTimer
  fetch: (address: string, init: RequestInit) => Promise<Response>
  /** A signal that is aborted after so long. */
  abortAfter: (delayMs: number) => AbortSignal
  watchFolder?: WatchFolder
}
