import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { CACHE_HOME } from '../../scripts/testing/cache-home.ts'
import { PACKED_LAUNCHER } from './launcher.ts'

export interface CliResult {
  code: number | null
  stdout: string
  stderr: string
}

export interface CliOptions {
  stdin?: string | Uint8Array
  env?: Record<string, string>
  cwd?: string
  /** Kills the process with SIGKILL. */
  kill?: AbortSignal
}

/** Runs the real command line as child processes, in a separate data home. */
export interface Cli {
  /** The data home. */
  home: string
  /** A folder for the files of a test. */
  files: string
  run: (args: readonly string[], options?: CliOptions) => Promise<CliResult>
  /** Runs a command and parses stdout as JSON; a failure shows stderr. */
  json: (args: readonly string[], options?: CliOptions) => Promise<unknown>
  write: (path: string, content: string | Uint8Array) => string
  remove: () => void
}

export const createCli = (launcher: string = PACKED_LAUNCHER): Cli => {
  const root = mkdtempSync(join(tmpdir(), 'steward-cli-'))
  const home = join(root, 'home')
  const files = join(root, 'files')
  mkdirSync(files)
  const run: Cli['run'] = (args, options = {}) =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [launcher, ...args], {
        cwd: options.cwd ?? files,
        env: {
          PATH: process.env.PATH,
          HOME: root,
          XDG_CACHE_HOME: CACHE_HOME,
          STEWARD_HOME: home,
          LLM_PROVIDER: 'offline',
          ...options.env,
        },
        stdio: [options.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      })
      const stdout: Uint8Array[] = []
      const stderr: Uint8Array[] = []
      child.stdout?.on('data', (chunk: Uint8Array) => stdout.push(chunk))
      child.stderr?.on('data', (chunk: Uint8Array) => stderr.push(chunk))
      // The command may stop reading its input; that is its response, not a test failure.
      child.stdin?.on('error', () => undefined)
      child.stdin?.end(options.stdin)
      options.kill?.addEventListener('abort', () => child.kill('SIGKILL'), { once: true })
      child.on('error', reject)
      child.on('close', (code) => {
        const text = (parts: Uint8Array[]) => Buffer.concat(parts).toString()
        resolve({ code, stdout: text(stdout), stderr: text(stderr) })
      })
    })
  return {
    home,
    files,
    run,
    json: async (args, options) => {
      const { code, stdout, stderr } = await run(args, options)
      if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`)
      return JSON.parse(stdout)
    },
    write: (path, content) => {
      const file = join(path.startsWith('USER/') || path === 'settings.json' ? home : files, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, content)
      return file
    },
    // Children of a killed daemon may write for a moment longer.
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 10 }),
  }
}

/** Writes a user action into the data home. */
export const writeAction = (
  cli: Cli,
  name: string,
  code: string,
  manifest: Record<string, unknown> = {},
): void => {
  const about = { name, description: name, input: {}, output: {}, requires: [], ...manifest }
  cli.write(`USER/ACTIONS/${name}/action.json`, JSON.stringify(about))
  cli.write(`USER/ACTIONS/${name}/action.mjs`, code)
}
