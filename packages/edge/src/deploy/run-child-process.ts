import { spawn } from 'node:child_process'
import { StewardError } from '@steward/contract'

interface ChildProcessRequest {
  program: string
  args: readonly string[]
  cwd: string
  env: Record<string, string>
  /** Text for standard input, which is closed otherwise. */
  stdin?: string
  /** Opens the pipe that `END_WITH_PARENT` watches. */
  endsWithUs?: boolean
  signal: AbortSignal
}

export interface ChildProcessResult {
  code: number | null
  stdout: string
  stderr: string
}

export type RunChildProcess = (request: ChildProcessRequest) => Promise<ChildProcessResult>

/**
 * Arguments for Node that end a child process with its parent, even if the parent is killed. Without
 * its parent, wrangler would retry endlessly to report the error.
 */
export const END_WITH_PARENT = [
  '--import',
  `data:text/javascript,import{Socket}from'node:net';new Socket({fd:3}).on('close',()=>process.kill(process.pid,'SIGKILL')).resume().unref()`,
]

/** Runs a child process until it exits. An abort terminates it and throws the abort's reason. */
export const runChildProcess: RunChildProcess = ({
  program,
  args,
  cwd,
  env,
  stdin,
  endsWithUs,
  signal,
}) =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const child = spawn(program, [...args], {
      cwd,
      env,
      stdio: [
        stdin === undefined ? 'ignore' : 'pipe',
        'pipe',
        'pipe',
        ...(endsWithUs ? (['pipe'] as const) : []),
      ],
    })
    const stdout: Uint8Array[] = []
    const stderr: Uint8Array[] = []
    child.stdout?.on('data', (chunk: Uint8Array) => stdout.push(chunk))
    child.stderr?.on('data', (chunk: Uint8Array) => stderr.push(chunk))
    // A process that exits without reading its input reports the reason by its exit code.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(stdin)
    const stop = () => child.kill('SIGTERM')
    signal.addEventListener('abort', stop, { once: true })
    child.on('error', (cause) => {
      signal.removeEventListener('abort', stop)
      reject(
        new StewardError('command_missing', { command: program, reason: cause.message }, cause),
      )
    })
    child.on('close', (code) => {
      signal.removeEventListener('abort', stop)
      if (signal.aborted) return reject(signal.reason)
      const text = (parts: Uint8Array[]) => Buffer.concat(parts).toString()
      resolve({ code, stdout: text(stdout), stderr: text(stderr) })
    })
  })
