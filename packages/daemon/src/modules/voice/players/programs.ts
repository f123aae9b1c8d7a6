import { spawn } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { endGroup } from '@steward/platform'
import { rememberFor } from '../../../remember-for.ts'
import type { SetTimer } from '../set-timer.ts'

export interface ProgramRun {
  args: readonly string[]
  /** Text for its standard input. */
  stdin?: string
  timeoutMs: number
  signal: AbortSignal
  /** Told when it runs, with its process id, which is its group's too. */
  onStart?: (pid: number) => void
}

export type ProgramEnd =
  | { is: 'ended'; code: number; stderr: string }
  | { is: 'timed_out' }
  | { is: 'aborted' }
  | { is: 'not_started'; reason: string }

/** The machine's own programs: speech engines and players. Never through a shell. */
export interface Programs {
  /** The absolute path of a program, when it is installed. */
  find: (name: string) => string | undefined
  run: (path: string, run: ProgramRun) => Promise<ProgramEnd>
}

export interface ProgramPorts {
  environment: Readonly<Record<string, string | undefined>>
  setTimer: SetTimer
}

/** A service is often started with less than a person's own PATH. */
const MORE_FOLDERS = ['/usr/local/bin', '/usr/bin', '/bin', '/opt/homebrew/bin']
const STDERR_CHARS = 4096
/** Programs are installed rarely; `/health` asks for them at every call. */
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
  setTimer: SetTimer,
): Promise<ProgramEnd> => {
  if (signal.aborted) return Promise.resolve({ is: 'aborted' })
  return new Promise((resolve) => {
    const child = spawn(path, args, {
      env,
      // A group of its own, so that what it starts ends with it.
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
    // At once: whoever is killed in this moment leaves its name behind all the same.
    if (child.pid !== undefined) onStart?.(child.pid)
    child.once('close', (code) =>
      settle(verdict === undefined ? { is: 'ended', code: code ?? -1, stderr } : { is: verdict }),
    )
    // A program that ended early cannot read; its exit code says what was wrong.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(stdin)
  })
}

/** What sound and speech need of the environment; keys of other services are not among it. */
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
