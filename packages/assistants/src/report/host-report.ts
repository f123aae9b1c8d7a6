import type { HostName } from '@steward/contract'

/**
 * `other`: a program of another installation. `incomplete`: events are missing. `outdated`: all are
 * registered, but not in the current form.
 */
export type Registration =
  | 'installed'
  | 'other'
  | 'incomplete'
  | 'outdated'
  | 'missing'
  | 'unreadable'

/** One hook of an assistant. */
export interface HookReport {
  event: string
  /** Reports an event, judges it in the hook, or lets the assistant ask the daemon, which records no firings. */
  kind: 'tells' | 'guards' | 'asks'
  registered: boolean
  /** The assistant waits for it, so its duration delays the person. */
  waited: boolean
  lastFiring: string | null
  /** The number of kept firings of this event. */
  firings: number
  /** From the start of the process to the end of its work. */
  medianMs: number | null
}

/** The state of one assistant's hooks. */
export interface HostReport {
  host: HostName
  /** Its command or the folder of its settings exists. */
  found: boolean
  command: string | null
  file: string
  state: Registration
  hooks: HookReport[]
  /** Hooks of other programs in the same file. They are left alone. */
  foreign: number
  /** The median duration of the firings that the assistant waited for. */
  addedMs: number | null
  /** Of the last firings, newest last. */
  errors: Array<{ timestamp: string; event: string; message: string }>
  /** When the plugin last fired beside the settings. */
  pluginFired: string | null
}

/** Our plugin as Claude Code has it installed. */
export interface InstalledPlugin {
  id: string
  path: string
  events: string[]
  /** Why none of its hooks will run; Claude Code does not report it. */
  problem: string | null
}

/** What an assistant's files say, and what its command answers. */
export interface AskedHost extends HostReport {
  version: string | null
  /** Codex: registered hooks that it does not run; `null` if it could not be queried. */
  untrusted: string[] | null
  /** Claude Code: where our plugin is installed. */
  plugins: InstalledPlugin[]
}
