import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type AttentionEntry, attentionEntry, isJsonObject } from '@steward/contract'
import { endPrograms } from './end-programs.ts'

interface CommandResult {
  code: number | null
  stdout: string
  stderr: string
}

/** A person's machine: a data home with a daemon, a user folder and a project. */
export interface Machine {
  root: string
  /** Where Steward keeps its data. */
  home: string
  /** The home folder of the person, where assistants keep their settings. */
  user: string
  project: string
  /** The environment of the commands and of the daemon. */
  env: Record<string, string>
  steward: (...args: string[]) => Promise<CommandResult>
  startDaemon: () => Promise<void>
  killDaemon: (signal?: NodeJS.Signals) => Promise<void>
  api: (path: string, body?: unknown, token?: string) => Promise<{ status: number; body: string }>
  /** What can be answered now. */
  waiting: () => Promise<AttentionEntry[]>
  /** Also what can be answered only elsewhere. */
  listed: () => Promise<AttentionEntry[]>
  /** Ends its programs and leaves its folder for inspection. */
  keep: () => void
  close: () => Promise<void>
}

/** Looks again and again, because it waits for programs of others. */
export const until = async <T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  limitMs = 90_000,
): Promise<T> => {
  const endMs = Date.now() + limitMs
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (Date.now() > endMs) throw new Error(`timed out: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const at = server.address()
  server.close()
  return isJsonObject(at) ? Number(at.port) : 0
}

/** `launcher` starts the program; `programs` are on the search path under their names. */
export const createMachine = async (
  launcher: string,
  programs: Readonly<Record<string, string>>,
): Promise<Machine> => {
  const root = mkdtempSync(join(tmpdir(), 'steward-assistants-'))
  const folder = (name: string): string => {
    mkdirSync(join(root, name), { recursive: true })
    return join(root, name)
  }
  const [home, user, project, bin] = [
    folder('home'),
    folder('user'),
    folder('project'),
    folder('bin'),
  ]
  for (const [name, program] of Object.entries(programs)) symlinkSync(program, join(bin, name))
  const clear = (): void => {
    endPrograms(root)
    rmSync(root, { recursive: true, force: true, maxRetries: 10 })
  }
  // Also on a signal or an error that nothing catches.
  process.once('exit', clear)
  const port = await freePort()
  const env = {
    PATH: `${bin}:${process.env.PATH ?? ''}`,
    HOME: user,
    STEWARD_HOME: home,
    STEWARD_PORT: String(port),
    XDG_CACHE_HOME: join(root, 'cache'),
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
  }
  let daemon: ChildProcess | undefined
  const api: Machine['api'] = async (path, body, token) => {
    const authorization = `Bearer ${token ?? readFileSync(join(home, 'token'), 'utf8').trim()}`
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      headers: { authorization, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.text() }
  }
  const listed: Machine['listed'] = async () => {
    const answer = await api('/api/attention').catch(() => undefined)
    const parsed: unknown = answer?.status === 200 ? JSON.parse(answer.body) : {}
    return attentionEntry.array().parse(isJsonObject(parsed) ? (parsed.waiting ?? []) : [])
  }
  return {
    ...{ root, home, user, project, env, api },
    steward: (...args) =>
      new Promise((resolve, reject) => {
        const child = spawn(process.execPath, [launcher, ...args], { cwd: project, env })
        let [stdout, stderr] = ['', '']
        child.stdout.on('data', (chunk) => {
          stdout += chunk
        })
        child.stderr.on('data', (chunk) => {
          stderr += chunk
        })
        child.once('error', reject)
        child.once('close', (code) => resolve({ code, stdout, stderr }))
      }),
    startDaemon: async () => {
      const started = spawn(process.execPath, [launcher, 'daemon', '--json'], {
        cwd: project,
        env,
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      daemon = started
      const lines = createInterface({ input: started.stdout })[Symbol.asyncIterator]()
      for (;;) {
        const { value, done } = await lines.next()
        if (done) throw new Error('the daemon did not start')
        if (String(value).startsWith('{')) return
      }
    },
    killDaemon: async (signal = 'SIGKILL') => {
      const running = daemon
      daemon = undefined
      if (running === undefined || running.exitCode !== null) return
      running.kill(signal)
      await once(running, 'exit')
    },
    listed,
    waiting: async () => (await listed()).filter(({ answerable }) => answerable),
    keep: () => {
      process.off('exit', clear)
      endPrograms(root)
    },
    close: async () => clear(),
  }
}
