import type { Settings } from '@steward/contract'
import type { Notifier, TabPorts } from '@steward/notify'
import type { Home, Redactor, StartTimer } from '@steward/platform'
import type { Bus } from '../../bus/bus.ts'
import type { Log } from '../../log/log.ts'
import type { AssistantCharacter, Speech } from '../../ports.ts'

export interface NotifyModulePorts {
  home: Pick<Home, 'stateDir' | 'workState'>
  bus: Bus
  speech: Speech
  log: Log
  now: () => number
  setTimer: StartTimer
  redactor: () => Redactor
  settings: () => Pick<Settings, 'daidentity'>
  notifier: Notifier
  character: AssistantCharacter
  tabs: TabPorts
}
