import type { Environment, Home, Redactor } from '@steward/platform'
import type { ClipText } from './clip-text.ts'
import type { HookSettings } from './read-hook-settings.ts'

/** What the hook has of the world. */
export interface HookPorts {
  home: Home
  environment: Environment
  settings: HookSettings
  redactor: Redactor
  clip: ClipText
  now: () => number
  /** When the host started the hook: nearer to what happened than any later look at the clock. */
  startedAtMs: number
  /** Whether a daemon runs on this home; it follows the logs by itself. */
  isDaemonUp: () => boolean
  /** Said on standard error, where the host shows or keeps it. */
  report: (text: string) => void
}

/** What the guard needs in addition. */
export interface GuardPorts extends HookPorts {
  /** The hook program's own file. */
  program: string
  /** The payload as it came, for the daemon. */
  payload: unknown
}
