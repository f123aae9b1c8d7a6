import type { Settings } from '@steward/contract'
import type { Environment, Home, Redactor, StartTimer } from '@steward/platform'
import type { Bus } from '../../bus/bus.ts'
import type { Log } from '../../log/log.ts'
import type { HostedCalls, WithdrawableNotices } from '../../ports.ts'

export interface AttentionPorts {
  home: Home
  bus: Bus
  log: Log
  now: () => number
  setTimer: StartTimer
  settings: () => Settings
  environment: () => Environment
  redactor: () => Redactor
  notices: WithdrawableNotices
  hosted: HostedCalls
  /** The command that starts Steward, for advice. */
  command: string
  fetch: typeof fetch
}
