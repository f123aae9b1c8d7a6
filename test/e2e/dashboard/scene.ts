import type { Cli } from '../cli-process.ts'
import type { DaemonProcess } from '../daemon-process.ts'

/** A day of work on a data home, and the daemon that shows it. */
export interface Scene {
  cli: Cli
  daemon: DaemonProcess
  /** The run that failed. */
  failedRun: string
  /** The hosted session that wants to do something. */
  hostedSession: string
}
