import type { Home, Redactor, StartTimer } from '@steward/platform'
import type { Bus } from '../../bus/bus.ts'
import type { Log } from '../../log/log.ts'
import type { Asking, HostedSessions, UsageOfSessions } from '../../ports.ts'

export interface HistoryPorts {
  home: Home
  bus: Bus
  log: Log
  now: () => number
  setTimer: StartTimer
  redactor: () => Redactor
  asking: Pick<Asking, 'reply'>
  usage: UsageOfSessions
  hosted: HostedSessions
  /** The daemon's environment; assistants are found on its PATH. */
  processEnvironment: Readonly<Record<string, string | undefined>>
  /**
   * Reads large logs for the first time in another process, whose memory is free again afterwards.
   * Rejects if that fails; without it they are read here.
   */
  readHistory?: (signal: AbortSignal) => Promise<void>
}
