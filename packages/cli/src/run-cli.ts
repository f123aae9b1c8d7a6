import { handleThrown } from './errors/handle-thrown.ts'
import type { Io } from './io.ts'
import { createProgram } from './program.ts'

/** Runs one command line to its end and returns the exit code. */
export const runCli = async (io: Io): Promise<number> => {
  try {
    const program = await createProgram(io)
    await program.parseAsync([...io.args], { from: 'user' })
    return io.exitCode
  } catch (thrown) {
    return handleThrown(io, thrown)
  }
}
