import type { Settings } from '@steward/contract'
import type { Environment, Home, Redactor, WatchFolder } from '@steward/platform'
import type { Bus } from '../../bus/bus.ts'
import type { Log } from '../../log/log.ts'

/** Calls back once after a delay; what it gives back takes that back. */
export type SetTimer = (delayMs: number, action: () => void) => () => void

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
  setTimer: SetTimer
  fetch: (address: string, init: RequestInit) => Promise<Response>
  /** A signal that is aborted after so long. */
  abortAfter: (delayMs: number) => AbortSignal
  watchFolder?: WatchFolder
}
