import type { Isolation } from '@steward/contract'

export interface SandboxRun {
  /** The only folder the command may write to, and its working directory. */
  cwd: string
  /** The complete environment of the command, except for variables that the sandbox must set. */
  env: Readonly<Record<string, string>>
  stdin?: string | Uint8Array
  timeoutMs: number
  network: boolean
  /** For standard output and standard error each. */
  maxOutputBytes: number
  signal?: AbortSignal
  /** Additional files and folders that the command may read. */
  readOnlyPaths?: readonly string[]
}

export interface SandboxOutcome {
  stdout: string
  stderr: string
  /** 128 plus the signal's number if a signal ended it, as in shells; 124 after a timeout. */
  code: number
  timedOut: boolean
  truncated: boolean
}

/** Runs one command isolated from the machine. `argv[0]` is an absolute path. */
export interface Sandbox {
  isolation: Isolation
  run: (argv: readonly string[], options: SandboxRun) => Promise<SandboxOutcome>
}

export const TIMED_OUT_CODE = 124
