/** The ways to keep the daemon running. */
export const SUPERVISORS = ['systemd', 'launchd', 'built-in'] as const
export type SupervisorKind = (typeof SUPERVISORS)[number]

export interface ServiceStatus {
  supervisor: SupervisorKind
  /** Starts with the machine or at login; the built-in supervisor cannot. */
  installed: boolean
  running: boolean
  pid: number | null
  /** How often it was restarted after it exited by itself. */
  restarts: number | null
  /**
   * Why the last start was refused and not retried: another daemon uses the data home or the port.
   */
  refused: string | null
  /** Further information from the supervisor. */
  detail: string | null
}

interface LogsRequest {
  lines: number
  follow: boolean
}

/** One way to run the daemon in the background. Each call returns a description of what it did. */
export interface Supervisor {
  kind: SupervisorKind
  install: () => Promise<string>
  uninstall: () => Promise<string>
  start: () => Promise<string>
  /** Stops gracefully: running work may finish. */
  stop: () => Promise<string>
  restart: () => Promise<string>
  status: () => Promise<ServiceStatus>
  logs: (request: LogsRequest) => Promise<void>
}

/** The daemon's command line and working directory. */
export interface DaemonProgram {
  /** Node, the launcher, `daemon`. */
  argv: readonly string[]
  /** The environment variables it gets; a supervisor's own environment is nearly empty. */
  env: Readonly<Record<string, string>>
  home: string
}

export interface CommandResult {
  code: number | null
  stdout: string
  stderr: string
}

export interface SupervisorPorts {
  program: DaemonProgram
  homedir: string
  uid: number
  /** Runs a system command to its end; a missing command gives code 127. */
  run: (argv: readonly string[]) => Promise<CommandResult>
  /** Runs a command with this terminal's output, until it ends or the person stops it. */
  show: (argv: readonly string[]) => Promise<void>
}

/** The environment and terminal from which a supervisor is controlled. */
export interface ServiceIo {
  env: Readonly<Record<string, string | undefined>>
  homedir: string
  out: { write: (text: string) => void }
  err: { write: (text: string) => void }
  /** Aborted when the person stops the command. */
  signal: AbortSignal
}
