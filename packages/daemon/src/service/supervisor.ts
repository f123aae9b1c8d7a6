/** What keeps the daemon running. */
export const SUPERVISORS = ['systemd', 'launchd', 'built-in'] as const
export type SupervisorKind = (typeof SUPERVISORS)[number]

export interface ServiceStatus {
  supervisor: SupervisorKind
  /** Starts with the machine or the login; the built-in supervisor cannot. */
  installed: boolean
  running: boolean
  pid: number | null
  /** How often it was started again after it ended by itself. */
  restarts: number | null
  /** Why the last start was refused, which is not retried: another daemon has the data home or the port. */
  refused: string | null
  /** What the supervisor says beyond that. */
  detail: string | null
}

interface LogsRequest {
  lines: number
  follow: boolean
}

/** One way to run the daemon in the background. Each call answers with what was done, for people. */
export interface Supervisor {
  kind: SupervisorKind
  install: () => Promise<string>
  uninstall: () => Promise<string>
  start: () => Promise<string>
  /** Drains: what is under way may end. */
  stop: () => Promise<string>
  restart: () => Promise<string>
  status: () => Promise<ServiceStatus>
  logs: (request: LogsRequest) => Promise<void>
}

/** The daemon as a command line, and where it runs. */
export interface DaemonProgram {
  /** Node, the launcher, `daemon`. */
  argv: readonly string[]
  /** What it is given of the environment; a supervisor's own is bare. */
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
  /** Runs a system command to its end; a missing one is code 127. */
  run: (argv: readonly string[]) => Promise<CommandResult>
  /** Runs one with this terminal's output, until it ends or the person stops it. */
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
