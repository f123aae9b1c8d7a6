import type { HostedSettings, SandboxDriverName, StewardError } from '@steward/contract'
import type { HandsReport } from '../hands/hands.ts'
import type { HostedModelCall, ModelCallMark } from '../overview/model-calls.ts'

export interface StartHostedOptions {
  /** The data home. */
  home: string
  env: Readonly<Record<string, string | undefined>>
  settings: HostedSettings
  host?: string
  /** 0 selects a free port; defaults to the settings. */
  port?: number
  /** A Postgres that several processes share; defaults to a file in the data home. */
  databaseUrl?: string
  /** `api` serves clients, `brain` runs sessions; each may run in separate processes. */
  role?: HostedRole
  isolation?: SandboxDriverName
  /** Receives internal errors; sessions continue. */
  report: (error: StewardError, where?: string) => void
}

export type HostedRole = 'all' | 'api' | 'brain'

/** A running server of hosted agents. */
export interface RunningHosted {
  /** The address for clients; `undefined` for a brain alone. */
  address: string | undefined
  /** Printed at start: store, isolation, limits and model. */
  facts: HostedFacts
  /**
   * Calls back when something happened in a session of any process; returns the unsubscribe
   * function.
   */
  hear(listener: () => void): () => void
  /** The number of sessions per status, without archived ones. */
  countSessions(): Promise<Record<string, number>>
  /** Finished model calls of all sessions after a mark, the earliest first. */
  modelCalls(after: ModelCallMark, limit: number): Promise<readonly HostedModelCall[]>
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
  /** What programs in sandboxes can use; see `HandsReport`. */
  network: HandsReport['network']
  /** Whether and where the files of sessions are stored, for other machines. */
  files: string
  /** The model in use, and why. */
  model: string
  remarks: readonly string[]
}
