import { existsSync, realpathSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import {
  LIMITS,
  type Shell,
  type ShellOptions,
  StewardError,
  typeOf,
  unwrap,
} from '@steward/contract'
import {
  createUnsandboxed,
  DEFAULT_PATH,
  findCommand,
  isInside,
  type Sandbox,
  type StartTimer,
} from '@steward/platform'
import { checkFileNames, createWorkDir } from './work-dir.ts'

export interface CreateShellOptions {
  /** Absent if there is none; `withoutSandbox` then decides. */
  sandbox: Sandbox | undefined
  /** Why there is none, for the message. */
  unavailable?: StewardError
  withoutSandbox: 'refuse' | 'run'
  /** Commands get the network only if the action also declares `fetch`. */
  network: boolean
  /** The user's environment: commands use its PATH, language and time zone. */
  env: Readonly<Record<string, string | undefined>>
  /** Ends commands when the run is stopped. */
  signal?: AbortSignal
  limits?: { timeoutMs?: number; outputBytes?: number }
  readOnlyPaths?: readonly string[]
  /** Files and folders that no command may read, because they hold secrets. */
  never?: readonly string[]
  /** Where the temporary folders of commands are created. */
  tempDir?: string
  startTimer?: StartTimer
}

const SHOWN_VARIABLES = ['LANG', 'LC_ALL', 'LC_CTYPE', 'TZ']

/** `shell` for actions: one isolated command in its own folder. */
export const createShell = (setup: CreateShellOptions): Shell => {
  const {
    limits: {
      timeoutMs: longestMs = LIMITS.shellTimeoutMs,
      outputBytes = LIMITS.shellOutputBytes,
    } = {},
  } = setup
  const path = setup.env.PATH || DEFAULT_PATH
  const shown = SHOWN_VARIABLES.flatMap((name): Array<[string, string]> => {
    const value = setup.env[name]
    return value === undefined ? [] : [[name, value]]
  })

  return async (argv, options = {}) => {
    checkArgv(argv)
    checkOptions(options)
    checkReadPaths(options.readPaths ?? [], setup.never ?? [])
    const sandbox = sandboxOf(setup)
    const command = unwrap(findCommand(argv[0] ?? '', path))
    const work = await createWorkDir(setup.tempDir)
    try {
      await work.put(options.files ?? {})
      const outcome = await sandbox.run([command, ...argv.slice(1)], {
        cwd: work.path,
        env: { HOME: work.path, PATH: path, ...Object.fromEntries(shown), ...options.env },
        stdin: options.stdin,
        timeoutMs: Math.min(options.timeoutMs ?? longestMs, longestMs),
        network: setup.network,
        maxOutputBytes: outputBytes,
        signal: setup.signal,
        readOnlyPaths: [...(setup.readOnlyPaths ?? []), ...(options.readPaths ?? [])],
      })
      const { files, truncated } = await work.collect(options.collect ?? [], outputBytes)
      const { stdout, stderr, code } = outcome
      return {
        stdout,
        stderr,
        code,
        isolation: sandbox.isolation,
        truncated: outcome.truncated || truncated,
        files,
      }
    } finally {
      await work.remove()
    }
  }
}

const sandboxOf = (setup: CreateShellOptions): Sandbox => {
  if (setup.sandbox !== undefined) return setup.sandbox
  if (setup.withoutSandbox === 'run') return createUnsandboxed({ startTimer: setup.startTimer })
  throw setup.unavailable ?? new StewardError('sandbox_unavailable', { reason: 'none was found' })
}

const wrong = (field: string, reason: string): StewardError =>
  new StewardError('invalid_input', { subject: 'shell', field, reason })

const checkArgv = (argv: unknown): void => {
  const example = 'for example ["yt-dlp", "--version"]'
  if (typeof argv === 'string') {
    throw wrong('argv', `takes a list of arguments and never a command line, ${example}`)
  }
  if (!Array.isArray(argv) || argv.length === 0) {
    throw wrong('argv', `takes a list of at least one argument, ${example}; found ${typeOf(argv)}`)
  }
  for (const [index, argument] of argv.entries()) {
    if (typeof argument !== 'string') {
      throw wrong('argv', `argument ${index} must be a string, found ${typeOf(argument)}`)
    }
    if (argument.includes('\0')) throw wrong('argv', `argument ${index} contains a NUL character`)
  }
  if (argv[0] === '') throw wrong('argv', `the command is empty; name one, ${example}`)
}

const checkOptions = ({ timeoutMs, env = {}, files = {}, collect = [] }: ShellOptions): void => {
  if (timeoutMs !== undefined && !(timeoutMs > 0)) {
    throw wrong('timeoutMs', `timeoutMs must be a positive number, found ${timeoutMs}`)
  }
  for (const [name, value] of Object.entries(env)) {
    if (
      !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ||
      typeof value !== 'string' ||
      value.includes('\0')
    ) {
      throw wrong('env', `${JSON.stringify(name)} in env is not a variable with a text value`)
    }
  }
  checkFileNames(Object.keys(files), collect)
}

const checkReadPaths = (paths: readonly string[], never: readonly string[]): void => {
  for (const path of paths) {
    if (!isAbsolute(path)) throw refuse(path, 'readPaths must be absolute')
    if (!existsSync(path)) throw refuse(path, 'the file does not exist')
    const real = realpathSync(path)
    const secrets = never.filter((place) => existsSync(place)).map((place) => realpathSync(place))
    // A folder above a secret would show it, too.
    if (secrets.some((place) => isInside(place, real) || isInside(real, place))) {
      throw refuse(path, 'it contains secrets')
    }
  }
}

const refuse = (path: string, reason: string): StewardError =>
  new StewardError('path_refused', { path, reason })
