import { spawn } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { endGroup, type StartTimer } from '@steward/platform'
import { rememberFor } from '../../../remember-for.ts'

export interface ProgramRun {
  args: readonly string[]
  /** Text for its standard input. */
  stdin?: string
  timeoutMs: number
  signal: AbortSignal
  /** Called when it runs, with its process id, which is also its process group. */
  onStart?: (pid: number) => void
}

export type ProgramEnd =
  | { is: 'ended'; code: number; stderr: string }
  | { is: 'timed_out' }
  | { is: 'aborted' }
  | { is: 'not_started'; reason: string }

/** Speech engines and players of the machine. Never run through a shell. */
export interface Programs {
  /** The absolute path of a program, if installed. */
  find: (name: string) => string | undefined
  run: (path: string, run: ProgramRun) => Promise<ProgramEnd>
}

export interface ProgramPorts {
  environment: Readonly<Record<string, string | undefined>>
  setTimer: StartTimer
}

/** A service often has a shorter PATH than the person's shell. */
const MORE_FOLDERS = ['/usr/local/bin', '/usr/bin', '/bin', '/opt/homebrew/bin']
const STDERR_CHARS = 4096
/** Programs are rarely installed, but `/health` looks them up on every call. */
const KNOWN_MS = 5000

export const createPrograms = ({ environment, setTimer }: ProgramPorts): Programs => {
  const folders = [...(environment.PATH ?? '').split(delimiter).filter(isAbsolute), ...MORE_FOLDERS]
  const searches = new Map<string, () => string | undefined>()
  const search = (name: string): (() => string | undefined) => {
    const found = rememberFor(KNOWN_MS, setTimer, () =>
      folders.map((folder) => join(folder, name)).find(isExecutable),
    )
    searches.set(name, found)
    return found
  }
  return {
    find: (name) => (searches.get(name) ?? search(name))(),
    run: (path, run) => runProgram(path, run, pickVariables(environment), setTimer),
  }
}

const runProgram = (
  path: string,
  { args, stdin, timeoutMs, signal, onStart }: ProgramRun,
  env: Record<string, string>,
  setTimer: StartTimer,
): Promise<ProgramEnd> => {
  if (signal.aborted) return Promise.resolve({ is: 'aborted' })
  return new Promise((resolve) => {
    const child = spawn(path, args, {
      env,
      // Its own process group, so that its children are killed with it.
      detached: true,
      stdio: [stdin === undefined ? 'ignore' : 'pipe', 'ignore', 'pipe'],
    })
    let stderr = ''
    let verdict: 'timed_out' | 'aborted' | undefined
    const stop = (why: 'timed_out' | 'aborted') => {
      verdict ??= why
      endGroup(child.pid)
    }
    const abort = () => stop('aborted')
    const cancelTimer = setTimer(timeoutMs, () => stop('timed_out'))
    signal.addEventListener('abort', abort, { once: true })
    const settle = (end: ProgramEnd) => {
      cancelTimer()
      signal.removeEventListener('abort', abort)
      resolve(end)
    }
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      stderr = (stderr + chunk).slice(-STDERR_CHARS)
    })
    child.once('error', (thrown) => settle({ is: 'not_started', reason: thrown.message }))
    // Recorded synchronously, so that it is on disk even if this process is killed now.
    if (child.pid !== undefined) onStart?.(child.pid)
    child.once('close', (code) =>
      settle(verdict === undefined ? { is: 'ended', code: code ?? -1, stderr } : { is: verdict }),
    )
    // Writing to a program that exited early fails; its exit code explains why.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(stdin)
  })
}

/** Variables that sound and speech need; keys of other services are not passed on. */
const WANTED =
  /^(PATH|HOME|USER|LOGNAME|LANG|LANGUAGE|TMPDIR|DISPLAY|WAYLAND_DISPLAY|DBUS_SESSION_BUS_ADDRESS|(LC|XDG|PULSE|PIPEWIRE|ALSA|SPEECHD|ESPEAK|SDL)_\w+)$/

const pickVariables = (environment: ProgramPorts['environment']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value !== undefined && WANTED.test(name) ? [[name, value]] : [],
    ),
  )

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
