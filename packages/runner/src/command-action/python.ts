import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { reasonOf, StewardError, unwrap } from '@steward/contract'
import { findCommand, readIfPresent, withLock } from '@steward/platform'

interface RunOptions {
  cwd?: string
  env?: NodeJS.ProcessEnv
  timeout: number
  maxBuffer?: number
}

/** Looks the function up when it is called, because every command loads this file. */
const run = (file: string, args: readonly string[], options: RunOptions) =>
  promisify(execFile)(file, args, options)

/** An interpreter, and the folders that it reads its own files from. */
export interface Python {
  executable: string
  folders: string[]
}

export const isPython = (program: string): boolean => /^python3?(\.\d+)?$/.test(basename(program))

const DESCRIBE =
  'import json, sys; print(json.dumps([sys.executable, sys.prefix, sys.base_prefix]))'
const ASK_MS = 10_000
const INSTALL_MS = 600_000

/**
 * The interpreter that a name stands for. Version managers put a script in its place, which finds the
 * real one with files that a sandbox does not show; so the interpreter itself is asked.
 */
export const findPython = async (program: string, path: string): Promise<Python> => {
  const command = unwrap(findCommand(program, path))
  const { stdout } = await run(command, ['-I', '-c', DESCRIBE], {
    env: { ...process.env, PATH: path },
    timeout: ASK_MS,
  }).catch((thrown: unknown) => {
    throw new StewardError('command_missing', { command, reason: reasonOf(thrown) }, thrown)
  })
  const [executable = command, ...folders] = readTexts(stdout)
  return { executable, folders: folders.filter((folder) => !folder.startsWith('/usr')) }
}

const readTexts = (json: string): string[] => {
  const value: unknown = JSON.parse(json)
  return Array.isArray(value) ? value.map(String) : []
}

interface EnvironmentPorts {
  path: string
  say: (line: string) => void
}

/**
 * The interpreter with the packages of an action: that of `.venv` in its folder, which is created from
 * `requirements.txt` and again when that changes. Undefined if the action has neither.
 */
export const openEnvironment = async (
  folder: string,
  python: Python,
  ports: EnvironmentPorts,
): Promise<string | undefined> => {
  const environment = join(folder, '.venv')
  const executable = join(environment, 'bin', 'python')
  const requirements = await readIfPresent(join(folder, 'requirements.txt'))
  if (requirements === undefined) return existsSync(executable) ? executable : undefined
  const stamp = join(folder, '.venv.installed')
  const installed = (await readIfPresent(stamp))?.trim()
  // Without the stamp, the person made this environment, and it is theirs to keep current.
  if (installed === undefined && existsSync(executable)) return executable
  const hash = createHash('sha256').update(`${python.executable}\n${requirements}`).digest('hex')
  if (installed === hash) return executable
  await withLock(
    join(folder, '.venv.lock'),
    async () => {
      if ((await readIfPresent(stamp))?.trim() === hash) return
      ports.say('installs the packages of requirements.txt, once until it changes')
      await writeFile(stamp, 'unfinished\n')
      await rm(environment, { recursive: true, force: true })
      await install(folder, environment, python, ports.path)
      await writeFile(stamp, `${hash}\n`)
    },
    { waitMs: INSTALL_MS },
  )
  return executable
}

/** Only finished packages are installed: building one would run its code outside the sandbox. */
const install = async (
  folder: string,
  environment: string,
  { executable }: Python,
  path: string,
): Promise<void> => {
  const uv = findCommand('uv', path)
  const options = { cwd: folder, timeout: INSTALL_MS, maxBuffer: 16 * 1024 ** 2 }
  const wanted = ['--only-binary', ':all:', '-r', 'requirements.txt']
  try {
    if (uv.ok) {
      await run(uv.value, ['venv', '--quiet', '--python', executable, environment], options)
      const own = join(environment, 'bin', 'python')
      await run(uv.value, ['pip', 'install', '--quiet', '--python', own, ...wanted], options)
      return
    }
    // Giving each environment a pip of its own would take longer than most packages.
    await run(executable, ['-m', 'venv', '--without-pip', environment], options)
    const pip = ['-m', 'pip', '--python', environment, 'install', '--quiet']
    const quick = ['--disable-pip-version-check', '--retries', '1']
    await run(executable, [...pip, ...quick, ...wanted], options)
  } catch (thrown) {
    const reason = `its packages cannot be installed: ${lastLines(thrown)}`
    throw new StewardError(
      'invalid_definition',
      { file: join(folder, 'requirements.txt'), reason },
      thrown,
    )
  }
}

const LAST_LINES = 5

const lastLines = (thrown: unknown): string => {
  const stderr = Object(thrown).stderr
  const text = typeof stderr === 'string' && stderr.trim() !== '' ? stderr : reasonOf(thrown)
  return text.trim().split('\n').slice(-LAST_LINES).join('\n')
}
