import { StewardError, toStewardError } from '@steward/contract'
import type { Io } from '../io.ts'
import { reportError } from './report-error.ts'

/** Reports anything that was thrown, and returns it as an error of the table. */
export const reportThrown = (io: Io, thrown: unknown): StewardError => {
  const error = toStewardError(thrown)
  reportError(io, error)
  if (!(thrown instanceof StewardError) && !io.env.STEWARD_DEBUG) {
    io.err.write('  details: run the command again with STEWARD_DEBUG=1\n')
  }
  return error
}
