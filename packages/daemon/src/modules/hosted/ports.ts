import type { Settings } from '@steward/contract'
import type { Home, Redactor } from '@steward/platform'
import type { Bus } from '../../bus/bus.ts'
import type { Log } from '../../log/log.ts'
import type { SetTimer } from '../../server/module-runner.ts'

/** What this module uses of the package of hosted agents. */
type HostedPackage = Pick<typeof import('@steward/hosted'), 'startHosted' | 'findOwnServer'>

export interface HostedModulePorts {
  home: Pick<Home, 'root'>
  bus: Bus
  log: Log
  setTimer: SetTimer
  settings: () => Pick<Settings, 'hosted'>
  environment: () => Readonly<Record<string, string | undefined>>
  redactor: () => Pick<Redactor, 'redact' | 'redactText'>
  /** Loads the package, which is large: a daemon without hosted agents never does. */
  load: () => Promise<HostedPackage>
  fetch: typeof fetch
  abortAfter: (ms: number) => AbortSignal
}
