import type { HostedContent } from '@steward/contract'

/** Where tools act: one sandbox per session, created at its first call. */
export interface Hands {
  /** Runs one call. A tool's failure is its outcome; rejects only when `signal` aborts. */
  execute(session: HandsSession, call: ToolCall, signal: AbortSignal): Promise<ToolOutcome>
  /** Stores the session's files for other machines, if they may continue it. Never rejects. */
  save(sessionId: string): Promise<void>
  /** Ends the session's processes; the workspace is deleted only with the session itself. */
  release(sessionId: string, workspace: 'keep' | 'delete'): Promise<void>
  /** The isolation and limits detected at start. */
  describe(): HandsReport
  close(): Promise<void>
}

/** What a sandbox needs to know about its session. Its secrets are for the egress proxy only. */
export interface HandsSession {
  id: string
  /** Threads of a session share its sandbox; each has a shell of its own. Absent: the primary one. */
  threadId?: string
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
      /** Hosts of the agent's MCP servers, if the environment allows them. */
      mcpHosts: readonly string[]
    }

export type PackageManager = 'apt' | 'cargo' | 'gem' | 'go' | 'npm' | 'pip'
export type Packages = Readonly<Record<PackageManager, readonly string[]>>

/** Something placed in the sandbox; `id` is that of the resource. */
export type Mount =
  | { type: 'file'; id: string; path: string; read(): Promise<Uint8Array> }
  | MemoryMount
  | { type: 'skill'; id: string; path: string; read(): Promise<readonly SkillFile[]> }
  | {
      type: 'repository'
      id: string
      path: string
      url: string
      checkout?: { type: 'branch'; name: string } | { type: 'commit'; sha: string }
      /** Used for cloning outside the sandbox; never passed inside. */
      token?: string
    }

/** A memory store as a folder; changes of either side reach the other after each tool call. */
export interface MemoryMount {
  type: 'memory'
  id: string
  path: string
  access: 'read_write' | 'read_only'
  /** `local` has the hashes of the session's files by path, after its changes. */
  exchange(
    local: ReadonlyMap<string, string>,
    changes: readonly LocalChange[],
  ): Promise<MemoryExchange>
}

/** A file that the session wrote, or deleted if the content is null. */
export interface LocalChange {
  path: string
  content: string | null
  /** The hash of the memory that the session's file began with. */
  base: string | undefined
}

/** What the session's folder lacks, and which of its changes were not applied. */
export interface MemoryExchange {
  written: Array<{ path: string; sha256: string; content: string }>
  deleted: string[]
  refused: Array<{ path: string; reason: string }>
}

/** A file of a skill; `path` is relative to the skill's folder. */
export interface SkillFile {
  path: string
  bytes: Uint8Array
  isProgram: boolean
}

/** A secret that the egress proxy inserts into requests; the sandbox only sees a placeholder. */
export interface EgressCredential {
  /** The environment variable inside that holds the placeholder. */
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
  /** The tool's settings in the agent's toolset, such as `allowed_domains`. */
  config: Readonly<Record<string, unknown>>
}

export interface ToolOutcome {
  content: readonly HostedContent[]
  isError: boolean
}

export interface HandsReport {
  driver: 'bubblewrap' | 'gvisor' | 'docker' | 'none'
  /** `false` only if the operator disabled isolation; shown wherever sessions are listed. */
  isolated: boolean
  limits: 'cgroup-v2' | 'cgroup-v1' | 'rlimits' | 'none'
  seccomp: boolean
  /**
   * What programs inside can use: DNS and TCP, only HTTP through the proxy, or the host's network.
   * Which hosts they reach is the environment's choice.
   */
  network: 'tcp' | 'http' | 'host'
  /** Hints for the operator, such as a missing program and how to install it. */
  remarks: readonly string[]
}
