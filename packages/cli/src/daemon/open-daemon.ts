import { type Daemon, startDaemon } from '@steward/daemon'
import { SUPERVISED } from '@steward/daemon/service'
import type { Io } from '../io.ts'
import { COMMAND } from '../setup/command-name.ts'
import { findInstallation } from '../setup/installation.ts'

export interface DaemonPlace {
  port?: number
  home?: string
}

/** Starts the daemon in this process; undefined if the settings disable it. */
export const openDaemon = async (
  io: Io,
  { port, home }: DaemonPlace,
): Promise<Daemon | undefined> => {
  const { library, dashboard } = findInstallation()
  const daemon = await startDaemon({
    env: io.env,
    homedir: io.homedir,
    library,
    dashboard,
    write: io.err.write,
    writeOut: io.out.write,
    command: COMMAND,
    ...(port === undefined ? {} : { port }),
    ...(home === undefined ? {} : { home }),
  })
  if (daemon === undefined) return undefined
  const stop = () => {
    // Errors at the end are thrown by `done`, which the caller awaits.
    daemon.stop().catch(() => undefined)
  }
  if (io.signal.aborted) stop()
  io.signal.addEventListener('abort', stop, { once: true })
  // The built-in supervisor died: without it the daemon would block the next one.
  if (io.env[SUPERVISED] !== undefined) process.once('disconnect', stop)
  return daemon
}
