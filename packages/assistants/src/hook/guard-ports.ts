import type { HookPorts } from './hook-ports.ts'

/** What the guard has of the world beside. */
export interface GuardPorts extends HookPorts {
  /** The hook program's own file. */
  program: string
  /** The payload as it came, for the daemon. */
  payload: unknown
}
