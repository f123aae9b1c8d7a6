import type { Environment, Home, Redactor } from '@steward/platform'
import type { ClipText } from './clip-text.ts'
import type { HookSettings } from './read-hook-settings.ts'

/** The hook's ports to the outside. */
export interface HookPorts {
  home: Home
  environment: Environment
  settings: HookSettings
  redactor: Redactor
  clip: ClipText
  now: () => number
  /** When the hook was started: the closest time to the event. */
  startedAtMs: number
  /** Whether a daemon runs on this home; it follows the logs by itself. */
  isDaemonUp: () => boolean
  /** Writes to standard error, which the assistant shows or keeps. */
  report: (text: string) => void
}

/** What the guard needs in addition. */
export interface GuardPorts extends HookPorts {
  /** The hook program's own file. */
  program: string
  /** The original payload, for the daemon. */
  payload: unknown
}
