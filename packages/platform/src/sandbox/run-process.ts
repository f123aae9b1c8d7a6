import { StewardError } from '@steward/contract'
import { codeOf } from '../error-code.ts'
import { type StartTimer, startSystemTimer } from '../processes/start-timer.ts'
import { createOutputBuffer } from './output-buffer.ts'
import { type SandboxOutcome, TIMED_OUT_CODE } from './sandbox.ts'
import { startProcess } from './start-process.ts'

export interface ProcessRun {
  cwd: string
  env: Readonly<Record<string, string>>
  stdin?: string | Uint8Array
  timeoutMs: number
  maxOutputBytes: number
  signal?: AbortSignal
  startTimer?: StartTimer
  /** Opens the descriptor on which a sandbox tells its first process and how it ended. */
  withStatus?: boolean
}

export interface ProcessOutcome extends SandboxOutcome {
  /** What the sandbox told of its first process and how it ended. */
  status: string
}

/**
 * Runs a program to its end in its own process group. On timeout or abort, and after its end, the
 * whole group is killed, so that no child stays behind.
 */
export const runProcess = async (
  command: string,
  args: readonly string[],
  options: ProcessRun,
): Promise<ProcessOutcome> => {
  const { cwd, env, withStatus, signal, maxOutputBytes } = options
  const { timeoutMs, startTimer = startSystemTimer } = options
  signal?.throwIfAborted()
  const started = startProcess({ command, args }, { cwd, env, withStatus })
  const stdout = createOutputBuffer(maxOutputBytes)
  const stderr = createOutputBuffer(maxOutputBytes)
  started.stdout.on('data', stdout.add)
  started.stderr.on('data', stderr.add)

  let timedOut = false
  const cancelTimer = startTimer(timeoutMs, () => {
    timedOut = true
    started.end()
  })
  signal?.addEventListener('abort', started.end, { once: true })
  const inputFailed = new Promise<never>((_, reject) => {
    // A command need not read its input, and one that ended cannot.
    started.stdin.on('error', (thrown) => {
      if (!['EPIPE', 'ECONNRESET'].includes(codeOf(thrown) ?? '')) reject(thrown)
    })
  })
  started.stdin.end(options.stdin)
  const exited = started.exited.catch((thrown: unknown) => {
    throw toStartError(command, thrown)
  })
  try {
    const code = await Promise.race([exited, inputFailed])
    signal?.throwIfAborted()
    return {
      stdout: stdout.text(),
      stderr: stderr.text(),
      status: started.readStatus(),
      code: timedOut ? TIMED_OUT_CODE : code,
      timedOut,
      truncated: stdout.isTruncated() || stderr.isTruncated(),
    }
  } finally {
    cancelTimer()
    signal?.removeEventListener('abort', started.end)
  }
}

const toStartError = (command: string, thrown: unknown): StewardError => {
  const reason = thrown instanceof Error ? thrown.message : String(thrown)
  return new StewardError('command_missing', { command, reason }, thrown)
}
