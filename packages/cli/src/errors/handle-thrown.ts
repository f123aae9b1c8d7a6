import { CommanderError } from 'commander'
import { Interruption } from '../interruption.ts'
import type { Io } from '../io.ts'
import { EXIT, exitCodeOf } from './exit-codes.ts'

/** Reports anything a command threw on stderr and returns the exit code. */
export const handleThrown = async (io: Io, thrown: unknown): Promise<number> => {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.success : EXIT.usage
  if (thrown instanceof Interruption) return thrown.exitCode
  // Timers and calls that the interruption ends throw their own error.
  const { reason } = io.signal
  if (isAbort(thrown) && reason instanceof Interruption) return reason.exitCode
  // Loaded on demand, to keep the start of commands fast.
  const { reportThrown } = await import('./report-thrown.ts')
  return exitCodeOf(reportThrown(io, thrown).code)
}

const isAbort = (thrown: unknown): boolean =>
  thrown instanceof Error && thrown.name === 'AbortError'
