import type { Settings } from '@steward/contract'
import type { Environment, Home, Redactor, StartTimer } from '@steward/platform'
import type { Bus } from '../../bus/bus.ts'
import type { Log } from '../../log/log.ts'
import type { Programs } from './players/programs.ts'

export type VoiceSettingsOf = Pick<
  Settings,
  'voice' | 'notifications' | 'daidentity' | 'observability'
>

export interface VoicePorts {
  home: Home
  /**
   * The home directory: the lock on the machine's voice is below it, independent of the data home.
   */
  homedir: string
  bus: Bus
  log: Log
  /** Milliseconds since the epoch. */
  now: () => number
  setTimer: StartTimer
  settings: () => VoiceSettingsOf
  environment: () => Environment
  redactor: () => Pick<Redactor, 'redactText' | 'redactFields'>
  fetch: (url: string, init: RequestInit) => Promise<Response>
  platform: NodeJS.Platform
  programs: Programs
}
