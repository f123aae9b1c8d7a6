import type { HostedContent } from '@steward/contract'

/** Where tools act: a sandbox for each session, made when its first call comes. */
export interface Hands {
  /** One call. What a tool does wrong is its outcome; only the hands' own end (`signal`) rejects. */
  execute(session: HandsSession, call: ToolCall, signal: AbortSignal): Promise<ToolOutcome>
  /** Ends the session's processes; its workspace goes only with the session itself. */
  release(sessionId: string, workspace: 'keep' | 'delete'): Promise<void>
  /** What isolates and what limits, as found at start. */
  describe(): HandsReport
  close(): Promise<void>
}

/** What a sandbox has to know of its session. Secrets in it are for the egress proxy alone. */
export interface HandsSession {
  id: string
  networking: Networking
  packages: Packages
  mounts: readonly Mount[]
  credentials: readonly EgressCredential[]
}

export type Networking =
  | { type: 'unrestricted' }
  | {
      type: 'limited'
      allowedHosts: readonly string[]
      allowPackageManagers: boolean
      /** Hosts of the agent's MCP servers, when the environment lets them through. */
      mcpHosts: readonly string[]
    }

export type PackageManager = 'apt' | 'cargo' | 'gem' | 'go' | 'npm' | 'pip'
export type Packages = Readonly<Record<PackageManager, readonly string[]>>

/** Something that lies in the sandbox before the first call. */
export type Mount =
  | { type: 'file'; path: string; read(): Promise<Uint8Array> }
  | {
      type: 'repository'
      path: string
      url: string
      checkout?: { type: 'branch'; name: string } | { type: 'commit'; sha: string }
      /** Used by the clone outside; never inside. */
      token?: string
    }

/** A secret that the egress proxy puts into requests; inside there is only a placeholder. */
export interface EgressCredential {
  /** The environment variable that holds the placeholder inside. */
  name: string
  secret: string
  allowedHosts: readonly string[] | 'any'
  inject: { header: boolean; body: boolean }
}

export interface ToolCall {
  /** The event id of its `agent.tool_use`. */
  id: string
  name: string
  input: Readonly<Record<string, unknown>>
  /** The tool's own settings from the agent's toolset, such as `allowed_domains`. */
  config: Readonly<Record<string, unknown>>
}

export interface ToolOutcome {
  content: readonly HostedContent[]
  isError: boolean
}

export interface HandsReport {
  driver: 'bubblewrap' | 'gvisor' | 'docker' | 'none'
  /** `false` only when a person asked for no isolation; it is shown wherever sessions are. */
  isolated: boolean
  limits: 'cgroup-v2' | 'cgroup-v1' | 'rlimits' | 'none'
  seccomp: boolean
  /** What a person should know, such as a missing program and how to get it. */
  remarks: readonly string[]
}
