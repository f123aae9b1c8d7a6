import process from 'node:process'
import { listenForInterruption } from './interruption.ts'
import { createIo } from './io.ts'
import { endQuietlyOnClosedPipe, flush, sendConsoleToStderr } from './output/streams.ts'
import { runProgram } from './run-program.ts'

endQuietlyOnClosedPipe(process)
sendConsoleToStderr(process)
const code = await runProgram(createIo(process, listenForInterruption(process)))
await flush(process.stdout)
await flush(process.stderr)
process.exit(code)
