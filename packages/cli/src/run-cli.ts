import { handleThrown } from './errors/handle-thrown.ts'
import type { Io } from './io.ts'

/** Runs one command line to its end and returns the exit code. */
export const runCli = async (io: Io): Promise<number> => {
  try {
    // Without options it needs none of the commands, and it has to be fast.
    if (io.args.length === 1 && io.args[0] === 'statusline') {
      const { printStatus } = await import('./commands/statusline/print-status.ts')
      printStatus(io, 'claude')
      return io.exitCode
    }
    const { createProgram } = await import('./program.ts')
    const program = await createProgram(io)
    await program.parseAsync([...io.args], { from: 'user' })
    return io.exitCode
  } catch (thrown) {
    return handleThrown(io, thrown)
  }
}
