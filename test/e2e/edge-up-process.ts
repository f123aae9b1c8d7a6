import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import type { Cli } from './cli-process.ts'
import { CLONE_LAUNCHER } from './launcher.ts'

export const TOKEN = 'token-of-the-edge-tests'

const announcement = z.object({
  workers: z.array(z.object({ name: z.string(), worker: z.string(), url: z.string() })),
  token: z.string().optional(),
})

/** A real `steward edge up` as a child process. */
export interface EdgeProcess {
  urls: Record<string, string>
  token: string | undefined
  stderr: () => string
  /** Resolves when stderr has said it, from the beginning or from now on. */
  said: (text: string) => Promise<void>
  /** Writes a line on standard input and reads the line that answers it. */
  ask: (line: string) => Promise<unknown>
  call: (
    name: string,
    path: string,
    init?: RequestInit,
  ) => Promise<{ status: number; body: unknown }>
  kill: () => Promise<void>
  /** SIGTERM; answers with the exit code. */
  stop: () => Promise<number | null>
}

export interface EdgeOptions {
  args?: readonly string[]
  env?: Record<string, string>
}

const PORTS_NEEDED = 60

/** The first of enough free ports in a row, below those that the system hands out by itself. */
export const findFreePort = async (): Promise<number> => {
  for (;;) {
    const first = 12_000 + Math.floor(Math.random() * 200) * 100
    const ports = Array.from({ length: PORTS_NEEDED }, (_, index) => first + index)
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return first
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })

export const spawnEdge = (cli: Cli, { args = [], env = {} }: EdgeOptions): ChildProcess =>
  spawn(process.execPath, [CLONE_LAUNCHER, 'edge', 'up', '--json', ...args], {
    cwd: cli.files,
    env: {
      PATH: process.env.PATH,
      HOME: cli.files,
      XDG_CACHE_HOME: join(tmpdir(), 'steward-e2e-cache'),
      STEWARD_HOME: cli.home,
      LLM_PROVIDER: 'offline',
      AUTH_TOKEN: TOKEN,
      ...env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  })

export const startEdge = async (cli: Cli, options: EdgeOptions = {}): Promise<EdgeProcess> => {
  const child = spawnEdge(cli, options)
  const { stdout, stderr, stdin } = child
  if (stdout === null || stderr === null || stdin === null) throw new Error('no pipes')
  let text = ''
  const waiting = new Set<() => void>()
  stderr.on('data', (chunk: Uint8Array) => {
    text += Buffer.from(chunk).toString()
    for (const look of waiting) look()
  })
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]()
  const nextLine = async (): Promise<unknown> => {
    const { value, done } = await lines.next()
    if (done) throw new Error(`the edge ended with ${await exited}: ${text}`)
    return JSON.parse(String(value))
  }
  const { workers, token } = announcement.parse(await nextLine())
  const urls = Object.fromEntries(workers.map(({ name, url }) => [name, url]))
  return {
    urls,
    token,
    stderr: () => text,
    said: (wanted) =>
      new Promise((resolve) => {
        const look = () => {
          if (!text.includes(wanted)) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
    ask: (line) => {
      stdin.write(`${line}\n`)
      return nextLine()
    },
    call: async (name, path, init = {}) => {
      const response = await fetch(`${urls[name]}${path}`, {
        ...init,
        headers: { authorization: `Bearer ${TOKEN}`, ...init.headers },
      })
      const body = await response.text()
      return { status: response.status, body: body === '' ? undefined : JSON.parse(body) }
    },
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
    stop: () => {
      child.kill('SIGTERM')
      return exited
    },
  }
}

export const post = (body: unknown): RequestInit => ({
  method: 'POST',
  body: JSON.stringify(body),
})

/** A worker directory by hand: what the platform gives a worker, without our factories. */
export const writeWorker = (
  folder: string,
  short: string,
  code: string,
  configuration: Record<string, unknown> = {},
): void => {
  const directory = join(folder, short)
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'index.js'), code)
  writeFileSync(join(directory, 'steward.json'), JSON.stringify({ tier: 'isolate' }))
  writeFileSync(
    join(directory, 'wrangler.jsonc'),
    `// by hand\n${JSON.stringify({
      name: `exec-${short}`,
      main: 'index.js',
      compatibility_date: '2026-07-30',
      compatibility_flags: ['nodejs_compat'],
      ...configuration,
    })}`,
  )
}
