import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { Readable } from 'node:stream'
import { StewardError } from '@steward/contract'
import { endGroup } from '../processes/end-process.ts'
import { type StartTimer, startSystemTimer } from '../processes/start-timer.ts'
import { watchFirstProcess } from './first-process.ts'
import { createOutputBuffer } from './output-buffer.ts'
import { type SandboxOutcome, TIMED_OUT_CODE } from './sandbox.ts'

export interface ProcessRun {
  cwd: string
  env: Readonly<Record<string, string>>
  stdin?: string | Uint8Array
  timeoutMs: number
  maxOutputBytes: number
  signal?: AbortSignal
  startTimer?: StartTimer
  /** Opens descriptor 3, on which a sandbox reports its first process and its exit. */
  withStatus?: boolean
}

export interface ProcessOutcome extends SandboxOutcome {
  /** What the program wrote to descriptor 3. */
  status: string
}

const STATUS_BYTES = 16 * 1024

/**
 * Runs a program to its end in its own process group. On timeout or abort, and after its end, the
 * whole group is killed, so that no child stays behind.
 */
export const runProcess = (
  command: string,
  args: readonly string[],
  options: ProcessRun,
): Promise<ProcessOutcome> => {
  const { signal, timeoutMs, maxOutputBytes, startTimer = startSystemTimer } = options
  if (signal?.aborted) return Promise.reject(signal.reason)
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: { ...options.env },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', ...(options.withStatus ? (['pipe'] as const) : [])],
    })
    const stdout = createOutputBuffer(maxOutputBytes)
    const stderr = createOutputBuffer(maxOutputBytes)
    const status = createOutputBuffer(STATUS_BYTES)
    child.stdout.on('data', stdout.add)
    child.stderr.on('data', stderr.add)
    const report = child.stdio[3]
    if (report instanceof Readable) report.on('data', status.add)
    const first = report instanceof Readable ? watchFirstProcess(report) : undefined

    let timedOut = false
    const killAll = () => {
      endGroup(child.pid)
      first?.end()
    }
    const cancelTimer = startTimer(timeoutMs, () => {
      timedOut = true
      killAll()
    })
    signal?.addEventListener('abort', killAll, { once: true })
    const settle = () => {
      cancelTimer()
      signal?.removeEventListener('abort', killAll)
    }

    child.once('error', (thrown) => {
      settle()
      reject(toStartError(command, thrown))
    })
    child.once('exit', killAll)
    child.once('close', (code, ending) => {
      settle()
      if (signal?.aborted) return reject(signal.reason)
      resolve({
        stdout: stdout.text(),
        stderr: stderr.text(),
        status: status.text(),
        code: timedOut ? TIMED_OUT_CODE : exitCode(code, ending),
        timedOut,
        truncated: stdout.isTruncated() || stderr.isTruncated(),
      })
    })
    // A command may not read its input, and an exited one cannot.
    child.stdin.on('error', (thrown: NodeJS.ErrnoException) => {
      if (thrown.code !== 'EPIPE' && thrown.code !== 'ECONNRESET') reject(thrown)
    })
    child.stdin.end(options.stdin)
  })
}

const exitCode = (code: number | null, ending: NodeJS.Signals | null): number => {
  if (code !== null) return code
  return 128 + (ending === null ? 0 : constants.signals[ending])
}

const toStartError = (command: string, thrown: Error): StewardError =>
  new StewardError('command_missing', { command, reason: thrown.message }, thrown)
