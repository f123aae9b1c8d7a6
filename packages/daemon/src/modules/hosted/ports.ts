import type { Settings } from '@steward/contract'
import type { Home, Redactor } from '@steward/platform'
import type { Bus } from '../../bus/bus.ts'
import type { Log } from '../../log/log.ts'
import type { Notices } from '../../ports.ts'
import type { SetTimer } from '../../server/module-runner.ts'

/** The parts of the hosted package that this module uses. */
type HostedPackage = Pick<typeof import('@steward/hosted'), 'startHosted' | 'findOwnServer'>

export interface HostedModulePorts {
  home: Pick<Home, 'root'>
  bus: Bus
  log: Log
  now: () => number
  setTimer: SetTimer
  notices: Notices
  settings: () => Pick<Settings, 'hosted' | 'notifications'>
  environment: () => Readonly<Record<string, string | undefined>>
  redactor: () => Pick<Redactor, 'redact' | 'redactText'>
  /** Loads the package lazily, because it is large and most daemons do not need it. */
  load: () => Promise<HostedPackage>
  fetch: typeof fetch
  abortAfter: (ms: number) => AbortSignal
}
