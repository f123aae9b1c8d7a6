import { toStewardError } from '@steward/contract'
import { EXIT, exitCodeOf } from '../../errors/exit-codes.ts'
import { reportError } from '../../errors/report-error.ts'
import type { Io } from '../../io.ts'

/** Says why the daemon does not run, and gives the exit code for it. */
export const reportDaemonError = (io: Io, thrown: unknown): number => {
  const error = toStewardError(thrown)
  reportError(io, error)
  const isTaken = error.code === 'daemon_running' || error.code === 'port_busy'
  return isTaken ? EXIT.conflict : exitCodeOf(error.code)
}
