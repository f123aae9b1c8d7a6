import { spawn } from 'node:child_process'
import { createClipText } from '@steward/assistants'
import type { DrivenResult, DrivenSession } from '@steward/contract'
import { endGroup, type Redactor, type StartTimer } from '@steward/platform'
import type { DrivenPorts } from './ports.ts'
import type { SessionOutput } from './session-output.ts'
import { collectChanges } from './work-place.ts'

const LIMIT_MS = 15 * 60_000
const KEPT_CHARS = 4000
const SUBJECT_CHARS = 60

interface Program {
  command: string
  args: readonly string[]
}

const SHELL: Program = { command: '/bin/sh', args: ['-c'] }

interface CheckPorts {
  env: Readonly<Record<string, string | undefined>>
  setTimer: StartTimer
  signal: AbortSignal
}

/** Collects and shows what a turn left behind: its changes, and how its check went. */
export const collectResult = async (
  session: DrivenSession,
  ports: CheckPorts & {
    redactor: Redactor
    confine: DrivenPorts['driving']['confine']
    show: SessionOutput['show']
  },
): Promise<{ result: DrivenResult }> => {
  const { prompt, folder, branch, base, copy, writable, check: command } = session
  const subject = createClipText(ports.redactor)(prompt.split('\n')[0] ?? '', SUBJECT_CHARS)
  const place = { folder, branch, base, copy }
  const changes = await collectChanges(place, { subject, writable }, ports.env)
  // The check runs code that the assistant may have changed.
  const shell = session.sandbox ? await ports.confine(SHELL, session) : SHELL
  const check = command === null ? null : await runCheck(shell, command, folder, ports)
  const told = [
    changes.diffStat || 'No files changed.',
    changes.outside.length === 0
      ? ''
      : `Outside the writable paths, left out: ${changes.outside.join(', ')}`,
    branch === null ? '' : `Branch ${branch}; Steward pushed nothing.`,
    changes.patch === null ? '' : `Patch ${changes.patch}; the project was not changed.`,
    check === null ? '' : `Check ${check.ok ? 'passed' : 'FAILED'}: ${check.command}`,
  ]
  ports.show('state', told.filter(Boolean).join('\n'))
  return { result: { ...changes, check } }
}

/** Runs the check command of a session in a shell; it is killed with its children when it hangs. */
const runCheck = (
  shell: Program,
  command: string,
  folder: string,
  { env, setTimer, signal }: CheckPorts,
): Promise<NonNullable<DrivenResult['check']>> =>
  new Promise((resolve) => {
    const child = spawn(shell.command, [...shell.args, command], {
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
