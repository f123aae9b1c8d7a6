import { EXIT } from './errors/exit-codes.ts'

/** Why a command was interrupted, and its exit code. */
export class Interruption extends Error {
  override readonly name = 'Interruption'
  readonly exitCode: number

  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super(signal === 'SIGINT' ? 'stopped by ^C' : 'asked to end')
    this.exitCode = signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated
  }
}

/** A terminal and a launcher may both forward one ^C; only a later one counts as the second. */
const SECOND_AFTER_MS = 500
/** How long a run may take to stop in order. */
export const GRACE_MS = 5000

/** Aborts on the first ^C or SIGTERM, so that runs stop resumable; a second one exits immediately. */
export const listenForInterruption = (process: NodeJS.Process): AbortSignal => {
  const controller = new AbortController()
  let firstAt: number | undefined
  const stop = (signal: 'SIGINT' | 'SIGTERM') => {
    const interruption = new Interruption(signal)
    if (firstAt === undefined) {
      firstAt = performance.now()
      controller.abort(interruption)
      setTimeout(() => process.exit(interruption.exitCode), GRACE_MS).unref()
      return
    }
    if (performance.now() - firstAt > SECOND_AFTER_MS) process.exit(interruption.exitCode)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  return controller.signal
}
