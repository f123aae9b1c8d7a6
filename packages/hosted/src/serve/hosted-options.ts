import type { HostedSettings, SandboxDriverName, StewardError } from '@steward/contract'

export interface StartHostedOptions {
  /** The data home. */
  home: string
  env: Readonly<Record<string, string | undefined>>
  settings: HostedSettings
  host?: string
  /** 0 takes a free one; the settings' otherwise. */
  port?: number
  /** A Postgres that several processes share; a file in the data home otherwise. */
  databaseUrl?: string
  /** `api` answers clients, `brain` runs sessions; each may have processes of its own. */
  role?: HostedRole
  isolation?: SandboxDriverName
  /** Where failures of our own go; sessions go on. */
  report: (error: StewardError, where?: string) => void
}

export type HostedRole = 'all' | 'api' | 'brain'

/** A server of hosted agents that runs. */
export interface RunningHosted {
  /** Where clients reach it; `undefined` for a brain alone. */
  address: string | undefined
  /** For lines at start: what stores, what isolates, what limits, who answers. */
  facts: HostedFacts
  /** Calls back when something happened in a session, in whichever process; gives back how to end it. */
  hear(listener: () => void): () => void
  /** How many sessions that are not archived are in each status. */
  countSessions(): Promise<Record<string, number>>
  stop(): Promise<void>
}

export interface HostedFacts {
  role: HostedRole
  engine: 'sqlite' | 'postgres'
  database: string
  driver: SandboxDriverName
  isolated: boolean
  limits: string
  seccomp: boolean
  /** Who answers model calls, and why. */
  model: string
  remarks: readonly string[]
}
