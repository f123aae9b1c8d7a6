import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import {
  type AttentionEntry,
  attentionEntry,
  isJsonObject,
  type JsonObject,
} from '@steward/contract'
import { serveTopics } from '../../packages/daemon/src/modules/attention/testing/serve-topics.ts'
import { endPrograms } from './end-programs.ts'
import { startVendor, type Vendor } from './vendor.ts'

interface CommandResult {
  code: number | null
  stdout: string
  stderr: string
}

/** A person's machine: a data home with a daemon, a user folder, a project, and services on loopback. */
export interface World {
  root: string
  /** Starts Steward. */
  home: string
  /** The home folder of the person, where assistants keep their settings. */
  user: string
  project: string
  env: Record<string, string>
  vendor: Vendor
  ntfy: Awaited<ReturnType<typeof serveTopics>>
  steward: (...args: string[]) => Promise<CommandResult>
  configure: (more?: JsonObject) => void
  startDaemon: () => Promise<void>
  killDaemon: () => Promise<void>
  api: (path: string, body?: unknown, token?: string) => Promise<{ status: number; body: string }>
  /** What can be answered now. */
  waiting: () => Promise<AttentionEntry[]>
  /** How often the command of a task was run. */
  runsOf: (task: string) => number
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

/** Marks the project with every run, so that a second one shows. */
const MARK = `import { appendFileSync } from 'node:fs'
appendFileSync(process.argv[2] + '.mark', 'x')
`

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const at = server.address()
  server.close()
  return isJsonObject(at) ? Number(at.port) : 0
}

/** `launcher` starts the program as it is published, whatever happens to the sources meanwhile. */
export const createWorld = async (
  launcher: string,
  programs: Readonly<Record<string, string>>,
  edge: JsonObject,
  authToken: string,
): Promise<World> => {
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
  writeFileSync(join(project, 'mark.mjs'), MARK)
  writeFileSync(join(home, '.env'), `AUTH_TOKEN=${authToken}\n`, { mode: 0o600 })
  const clear = (): void => {
    endPrograms(root)
    rmSync(root, { recursive: true, force: true, maxRetries: 10 })
  }
  // Also on a signal or an error that nothing catches.
  process.once('exit', clear)
  const port = await freePort()
  const ntfy = await serveTopics()
  const vendor = await startVendor()
  const env = {
    PATH: `${bin}:${process.env.PATH ?? ''}`,
    HOME: user,
    STEWARD_HOME: home,
    STEWARD_PORT: String(port),
    XDG_CACHE_HOME: join(root, 'cache'),
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
  }
  const address = `http://127.0.0.1:${port}`
  let daemon: ChildProcess | undefined
  const configure: World['configure'] = (answers = {}) =>
    writeFileSync(
      join(home, 'settings.json'),
      JSON.stringify({
        voice: { provider: 'none' },
        edge,
        answers: { waitSeconds: 120, hiddenPromptSeconds: 120, ...answers },
        notifications: {
          push: { enabled: true, topic: 'steward-0123456789', server: ntfy.address },
          thresholds: { waitingSeconds: 0 },
        },
      }),
    )
  configure()
  const api: World['api'] = async (path, body, token) => {
    const authorization = `Bearer ${token ?? readFileSync(join(home, 'token'), 'utf8').trim()}`
    const response = await fetch(`${address}${path}`, {
      headers: { authorization, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.text() }
  }
  return {
    root,
    home,
    user,
    project,
    env,
    vendor,
    ntfy,
    configure,
    api,
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
    killDaemon: async () => {
      const running = daemon
      daemon = undefined
      if (running === undefined || running.exitCode !== null) return
      running.kill('SIGKILL')
      await once(running, 'exit')
    },
    waiting: async () => {
      const answer = await api('/api/attention').catch(() => undefined)
      const parsed: unknown = answer?.status === 200 ? JSON.parse(answer.body) : {}
      const entries = attentionEntry
        .array()
        .parse(isJsonObject(parsed) ? (parsed.waiting ?? []) : [])
      return entries.filter(({ answerable }) => answerable)
    },
    runsOf: (task) => {
      const file = join(project, `${task}.mark`)
      return existsSync(file) ? readFileSync(file, 'utf8').length : 0
    },
    close: async () => {
      ntfy.close()
      vendor.stop()
      clear()
    },
  }
}
