import { CommanderError } from 'commander'
import { Interruption } from '../interruption.ts'
import type { Io } from '../io.ts'
import { EXIT, exitCodeOf } from './exit-codes.ts'

/** Turns whatever a command threw into words on stderr and an exit code. */
export const handleThrown = async (io: Io, thrown: unknown): Promise<number> => {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.success : EXIT.usage
  if (thrown instanceof Interruption) return thrown.exitCode
  // Loaded only now: the start of every command stays light.
  const { StewardError, toStewardError } = await import('@steward/contract')
  const { reportError } = await import('./report-error.ts')
  const error = toStewardError(thrown)
  reportError(io, error)
  if (!(thrown instanceof StewardError) && !io.env.STEWARD_DEBUG) {
    io.err.write('  details: run the command again with STEWARD_DEBUG=1\n')
  }
  return exitCodeOf(error.code)
}
