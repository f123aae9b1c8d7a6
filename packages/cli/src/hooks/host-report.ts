import type { HostName } from '@steward/contract'

/**
 * `other`: another program than this installation's. `incomplete`: events are missing.
 * `outdated`: all are there, but not as they would be written today.
 */
export type Registration =
  | 'installed'
  | 'other'
  | 'incomplete'
  | 'outdated'
  | 'missing'
  | 'unreadable'

/** One event of a host. */
export interface HookReport {
  event: string
  /** Tells of it, judges it in the hook, or has the host ask the daemon, which leaves no firings. */
  kind: 'tells' | 'guards' | 'asks'
  registered: boolean
  /** The host waits for it: its time is added to the person's. */
  waited: boolean
  lastFiring: string | null
  /** How many of the firings that are kept were of this event. */
  firings: number
  /** From the start of the process to the end of its work. */
  medianMs: number | null
}

/** What is known of one assistant's hooks. */
export interface HostReport {
  host: HostName
  /** Its command, or the folder of its settings, is there. */
  found: boolean
  command: string | null
  file: string
  state: Registration
  hooks: HookReport[]
  /** Hooks of others in the same file, which are not touched. */
  foreign: number
  /** The median of the firings that the host waited for. */
  addedMs: number | null
  /** Of the last firings, newest last. */
  errors: Array<{ timestamp: string; event: string; message: string }>
  /** When the plugin last fired beside the settings. */
  pluginFired: string | null
}
