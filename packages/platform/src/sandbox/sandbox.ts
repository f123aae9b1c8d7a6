import type { Isolation } from '@steward/contract'

export interface SandboxRun {
  /** The one folder the command may write to, and where it starts. */
  cwd: string
  /** Everything the command sees of the environment, save for what the sandbox must set. */
  env: Readonly<Record<string, string>>
  stdin?: string | Uint8Array
  timeoutMs: number
  network: boolean
  /** For standard output and standard error each. */
  maxOutputBytes: number
  signal?: AbortSignal
  /** More files and folders that the command may read. */
  readOnlyPaths?: readonly string[]
}

export interface SandboxOutcome {
  stdout: string
  stderr: string
  /** 128 and the signal's number when a signal ended it, as shells say it; 124 after a time-out. */
  code: number
  timedOut: boolean
  truncated: boolean
}

/** Runs one command apart from the machine. `argv[0]` is an absolute path. */
export interface Sandbox {
  isolation: Isolation
  run: (argv: readonly string[], options: SandboxRun) => Promise<SandboxOutcome>
}

export const TIMED_OUT_CODE = 124
