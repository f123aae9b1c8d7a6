import type { Readable, Writable } from 'node:stream'
import { SESSION_FOLDERS } from '@steward/contract'
import type { HandsReport } from '../hands.ts'
import type { SandboxLimits } from './limits/limits.ts'

/** Describes a sandbox. It contains only what is listed here, and the system read-only. */
export interface SandboxSpec {
  sessionId: string
  /** The session's folder on the host; see `Place` for its contents. */
  workspace: string
  /** Further files and folders in addition to those of every sandbox. */
  binds: readonly SandboxBind[]
  /** The environment except PATH, HOME, LANG, TERM and TMPDIR. Must not contain secrets. */
  env: Readonly<Record<string, string>>
  /**
   * `shared` is the host's network including its loopback; `none` has only its own loopback.
   * `redirected` is `none`, but for programs with companions, TCP connections to any address and DNS
   * queries arrive at `REDIRECT_PORT`. Only drivers that report `tcp` provide it.
   */
  network: 'none' | 'shared' | 'redirected'
  /** Unix sockets of the host that are reachable inside, such as the egress proxy's. */
  sockets: readonly SandboxSocket[]
  /**
   * Programs that run alongside the shell in its network and process namespace, started before it:
   * a forwarder from a port of the sandbox's loopback to a socket. Programs inside can kill them.
   */
  companions: readonly (readonly string[])[]
}

export interface SandboxBind {
  host: string
  /** An absolute path. */
  inside: string
  /**
   * Under root, sessions run as users of their own: `rw` binds are given to that user, `ro` binds
   * must be readable by everybody.
   */
  mode: 'ro' | 'rw'
}

interface SandboxSocket {
  host: string
  inside: string
}

export interface Sandbox {
  /** Locations as programs inside see them. */
  paths: InsidePaths
  /** Starts a program inside. `kill` and the end of the sandbox also end everything it starts. */
  start(argv: readonly string[], options?: StartOptions): SandboxProcess
  /** Runs a program to its end. Only `signal` rejects; a vanished sandbox shows in the outcome. */
  run(argv: readonly string[], options: RunOptions): Promise<RunOutcome>
  /** Ends everything inside and leaves only the workspace. */
  destroy(): Promise<void>
}

export interface StartOptions {
  limits?: RunOptions['limits']
  env?: Readonly<Record<string, string>>
  /** The working directory; the workspace by default. */
  cwd?: string
  /** Runs with the spec's companions. Only the shell needs them. */
  companions?: boolean
}

export interface SandboxProcess {
  stdin: Writable
  /** Standard output and standard error, merged in order. */
  output: Readable
  /** The sandbox's own error message when it could not start. */
  readProblem(): string
  exited: Promise<number>
  /** Kills it and everything it started, and waits for their end. */
  kill(): Promise<void>
}

export interface RunOptions {
  /**
   * `process`: only process limits, for short-lived system programs. Entering a control group can
   * take longer than they run.
   */
  limits?: 'session' | 'process'
  stdin?: Uint8Array | string
  timeoutMs: number
  /** Only this many first bytes are kept. */
  maxOutputBytes: number
  env?: Readonly<Record<string, string>>
  cwd?: string
  companions?: boolean
  signal?: AbortSignal
}

export interface RunOutcome {
  output: Uint8Array
  truncated: boolean
  /** 128 plus the signal's number after a signal; 124 after a timeout. */
  code: number
  timedOut: boolean
  /** Why the sandbox could not run it. */
  problem: string | undefined
}

/** A way to isolate. `provision` must be fast, because a session's first tool call waits for it. */
export interface SandboxDriver {
  report: HandsReport
  provision(spec: SandboxSpec, limits: SandboxLimits): Promise<Sandbox>
}

export type InsidePaths = Readonly<Record<PlaceName, string>>
export type PlaceName = 'workspace' | 'outputs' | 'uploads' | 'home' | 'tmp'

/** Locations inside every isolated sandbox. */
export const INSIDE: InsidePaths = SESSION_FOLDERS
