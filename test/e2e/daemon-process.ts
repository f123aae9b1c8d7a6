import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Health, health } from '@steward/contract'
import { z } from 'zod'
import type { Cli } from './cli-process.ts'
import { PACKED_LAUNCHER } from './launcher.ts'

const announcement = z.object({ address: z.string(), pid: z.int(), home: z.string() })

/** The watchdog may have something to say before. */
const findAnnouncement = async (nextLine: () => Promise<string>): Promise<string> => {
  const line = await nextLine()
  return line.startsWith('{') ? line : findAnnouncement(nextLine)
}

/** A real `steward daemon` as a child process. */
export interface DaemonProcess {
  address: string
  port: number
  pid: number
  token: () => string
  stderr: () => string
  /** Resolves when stderr has said it, from the beginning or from now on. */
  said: (text: string) => Promise<void>
  /** The next line on standard output. */
  nextLine: () => Promise<string>
  fetch: (path: string, init?: RequestInit) => Promise<Response>
  health: () => Promise<Health>
  /** SIGTERM; answers with the exit code. */
  stop: () => Promise<number | null>
  kill: () => Promise<void>
}

export interface DaemonProcessOptions {
  args?: readonly string[]
  env?: Record<string, string>
}

/** Starts a daemon on the data home of `cli`, on a free port, and waits until it is ready. */
export const startDaemonProcess = async (
  cli: Cli,
  { args = ['--port', '0'], env = {} }: DaemonProcessOptions = {},
): Promise<DaemonProcess> => {
  const child = spawn(process.execPath, [PACKED_LAUNCHER, 'daemon', '--json', ...args], {
    cwd: cli.files,
    env: {
      PATH: process.env.PATH,
      HOME: cli.files,
      XDG_CACHE_HOME: join(tmpdir(), 'steward-e2e-cache'),
      STEWARD_HOME: cli.home,
      LLM_PROVIDER: 'offline',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  const waiting = new Set<() => void>()
  child.stderr.on('data', (chunk: Uint8Array) => {
    text += Buffer.from(chunk).toString()
    for (const look of waiting) look()
  })
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const nextLine = async (): Promise<string> => {
    const { value, done } = await lines.next()
    if (done) throw new Error(`the daemon ended with ${await exited}: ${text}`)
    return String(value)
  }
  const { address, pid } = announcement.parse(JSON.parse(await findAnnouncement(nextLine)))
  const call: DaemonProcess['fetch'] = (path, init) => fetch(`${address}${path}`, init)
  return {
    address,
    port: Number(new URL(address).port),
    pid,
    token: () => readFileSync(join(cli.home, 'token'), 'utf8').trim(),
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
    nextLine,
    fetch: call,
    health: async () => health.parse(await (await call('/health')).json()),
    stop: () => {
      child.kill('SIGTERM')
      return exited
    },
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}
