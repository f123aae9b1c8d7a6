import type { Readable, Writable } from 'node:stream'
import { SESSION_FOLDERS } from '@steward/contract'
import type { HandsReport } from '../hands.ts'
import type { SandboxLimits } from './limits/limits.ts'

/** What a sandbox is made of. Inside there is only what is named here, and the system read-only. */
export interface SandboxSpec {
  sessionId: string
  /** The session's own folder on the host; see `Place` for what lies in it. */
  workspace: string
  /** More files and folders, over the ones that every sandbox has. */
  binds: readonly SandboxBind[]
  /** All of the environment but PATH, HOME, LANG, TERM and TMPDIR. Secrets do not belong here. */
  env: Readonly<Record<string, string>>
  /** `shared` is the host's network with its loopback; `none` has a loopback of its own, and that only. */
  network: 'none' | 'shared'
  /** Unix sockets of the host that can be reached inside, such as the egress proxy's. */
  sockets: readonly SandboxSocket[]
  /**
   * Programs that run beside the shell, in its network and process namespace, started before it: a
   * forwarder from a port of the sandbox's loopback to a socket. What runs inside can end them.
   */
  companions: readonly (readonly string[])[]
}

export interface SandboxBind {
  host: string
  /** An absolute path. */
  inside: string
  /**
   * Under root, sessions run as users of their own: what is bound `rw` is given to that user, what is
   * bound `ro` must be readable for everybody.
   */
  mode: 'ro' | 'rw'
}

interface SandboxSocket {
  host: string
  inside: string
}

/** One session's place to act in. */
export interface Sandbox {
  /** Where things are, as a program inside names them. */
  paths: InsidePaths
  /** Starts a program inside. Nothing that it starts outlives `kill` or the sandbox. */
  start(argv: readonly string[], options?: StartOptions): SandboxProcess
  /** Runs a program to its end. Only `signal` rejects; a sandbox that is gone shows in the outcome. */
  run(argv: readonly string[], options: RunOptions): Promise<RunOutcome>
  /** Ends everything inside and leaves nothing behind but the workspace. */
  destroy(): Promise<void>
}

export interface StartOptions {
  limits?: RunOptions['limits']
  env?: Readonly<Record<string, string>>
  /** Where it starts; the workspace if nothing is said. */
  cwd?: string
  /** Runs beside the spec's companions. The shell does, and nothing else needs to. */
  companions?: boolean
}

export interface SandboxProcess {
  stdin: Writable
  /** Standard output and standard error, merged in the order they were written. */
  output: Readable
  /** What the sandbox itself had to say, when it could not start. */
  readProblem(): string
  exited: Promise<number>
  /** Ends it and everything it started, and waits until that is so. */
  kill(): Promise<void>
}

export interface RunOptions {
  /**
   * `process`: held to limits of processes alone, for fixed programs of the system that are over soon.
   * Entering a control group can take longer than all they do.
   */
  limits?: 'session' | 'process'
  stdin?: Uint8Array | string
  timeoutMs: number
  /** The first so many bytes are kept. */
  maxOutputBytes: number
  env?: Readonly<Record<string, string>>
  cwd?: string
  signal?: AbortSignal
}

export interface RunOutcome {
  output: Uint8Array
  truncated: boolean
  /** 128 and the signal's number when a signal ended it; 124 after a time-out. */
  code: number
  timedOut: boolean
  /** Why the sandbox could not run it at all. */
  problem: string | undefined
}

/** A way to isolate. `provision` must not be slow: it stands before a session's first tool call. */
export interface SandboxDriver {
  report: HandsReport
  provision(spec: SandboxSpec, limits: SandboxLimits): Promise<Sandbox>
}

export type InsidePaths = Readonly<Record<PlaceName, string>>
export type PlaceName = 'workspace' | 'outputs' | 'uploads' | 'home' | 'tmp'

/** Where things are inside of every sandbox that isolates. */
export const INSIDE: InsidePaths = SESSION_FOLDERS
