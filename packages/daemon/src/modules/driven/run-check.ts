import { spawn } from 'node:child_process'
import type { DrivenResult } from '@steward/contract'
import { endGroup, type StartTimer } from '@steward/platform'

interface Program {
  command: string
  args: readonly string[]
}

export const SHELL: Program = { command: '/bin/sh', args: ['-c'] }
const LIMIT_MS = 15 * 60_000
const KEPT_CHARS = 4000

/** Runs the check command of a session in a shell; it is killed with its children when it hangs. */
export const runCheck = (
  command: string,
  {
    program = SHELL,
    folder,
    env,
    setTimer,
    signal,
  }: {
    /** The shell, or a sandbox around it. */
    program?: Program
    folder: string
    env: Readonly<Record<string, string | undefined>>
    setTimer: StartTimer
    signal: AbortSignal
  },
): Promise<NonNullable<DrivenResult['check']>> =>
  new Promise((resolve) => {
    const child = spawn(program.command, [...program.args, command], {
      cwd: folder,
      env: { ...env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    const hear = (chunk: Buffer): void => {
      output = `${output}${chunk}`.slice(-KEPT_CHARS)
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    const kill = (): void => endGroup(child.pid)
    const cancel = setTimer(LIMIT_MS, () => {
      output = `${output}\nstopped after ${LIMIT_MS / 60_000} minutes`
      kill()
    })
    signal.addEventListener('abort', kill, { once: true })
    const finish = (ok: boolean): void => {
      cancel()
      signal.removeEventListener('abort', kill)
      resolve({ command, ok, output: output.trim() })
    }
    child.once('error', (error) => {
      output = error.message
      finish(false)
    })
    child.once('close', (code) => finish(code === 0))
  })
