import process from 'node:process'
import { listenForInterruption } from './interruption.ts'
import { createIo } from './io.ts'
import { endQuietlyOnClosedPipe, flush, sendConsoleToStderr } from './output/streams.ts'
import { runProgram } from './run-program.ts'

/** Runs the command line of this process, and ends the process. */
export const main = async (): Promise<never> => {
  endQuietlyOnClosedPipe(process)
  sendConsoleToStderr(process)
  const code = await runProgram(createIo(process, listenForInterruption(process)))
  await flush(process.stdout)
  await flush(process.stderr)
  process.exit(code)
}
