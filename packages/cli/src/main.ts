import process from 'node:process'
import { listenForInterruption } from './interruption.ts'
import { createIo } from './io.ts'
import { endQuietlyOnClosedPipe, flush, sendConsoleToStderr } from './output/streams.ts'
import { runCli } from './run-cli.ts'

/** Runs the command line of this process, then exits. */
export const main = async (): Promise<never> => {
  endQuietlyOnClosedPipe(process)
  sendConsoleToStderr(process)
  const code = await runCli(createIo(process, listenForInterruption(process)))
  await flush(process.stdout)
  await flush(process.stderr)
  process.exit(code)
}
