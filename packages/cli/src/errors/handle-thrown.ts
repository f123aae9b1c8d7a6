import { CommanderError } from 'commander'
import { Interruption } from '../interruption.ts'
import type { Io } from '../io.ts'
import { EXIT, exitCodeOf } from './exit-codes.ts'

/** Turns whatever a command threw into words on stderr and an exit code. */
export const handleThrown = async (io: Io, thrown: unknown): Promise<number> => {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.success : EXIT.usage
  if (thrown instanceof Interruption) return thrown.exitCode
  // Loaded only now: the start of every command stays light.
  const { reportThrown } = await import('./report-thrown.ts')
  return exitCodeOf(reportThrown(io, thrown).code)
}
