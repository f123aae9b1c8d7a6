import { spawn } from 'node:child_process'
import { isMissing } from '@steward/platform'

export type CommandOutcome =
  | { kind: 'ended'; code: number | null; stderr: string }
  | { kind: 'missing' }
  | { kind: 'failed'; reason: string }

/** Runs a program with unchanged arguments, never through a shell. Never throws. */
export type RunCommand = (
  command: string,
  args: readonly string[],
  timeoutMs: number,
) => Promise<CommandOutcome>

const STDERR_CHARS = 500

export const runCommand: RunCommand = (command, args, timeoutMs) =>
  new Promise((resolve) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    })
    let stderr = ''
    child.stderr.setEncoding('utf8')
    child.stderr.on('data', (text: string) => {
      if (stderr.length < STDERR_CHARS) stderr += text
    })
    child.on('error', (error) => {
      resolve(isMissing(error) ? { kind: 'missing' } : { kind: 'failed', reason: error.message })
    })
    // A descendant may keep the pipe open long after the program exits.
    child.on('exit', (code) => {
      child.stderr.destroy()
      resolve({ kind: 'ended', code, stderr: stderr.slice(0, STDERR_CHARS).trim() })
    })
  })
