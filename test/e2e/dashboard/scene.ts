import type { Cli } from '../cli-process.ts'
import type { DaemonProcess } from '../daemon-process.ts'

/** A data home with a day of work, and the daemon that serves it. */
export interface Scene {
  cli: Cli
  daemon: DaemonProcess
  /** The run that failed. */
  failedRun: string
  /** The hosted session that waits for permission. */
  hostedSession: string
  /** A session that Steward started, and a comparison of two. */
  started: { session: string; comparison: string }
}
