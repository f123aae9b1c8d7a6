import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'

const announcement = z.object({ address: z.url(), pid: z.int() })

/** A real `steward hosted serve`. */
export interface HostedProcess extends z.infer<typeof announcement> {
  key: string
  /** From its start until it was ready. */
  startMs: number
  stop(): Promise<void>
  kill(): Promise<void>
}

export interface HostedProcessOptions {
  home: string
  /** The address of the model. */
  model: string
  databaseUrl?: string
  port?: number
}

const LAUNCHER = join(import.meta.dirname, '../../packages/cli/bin/steward.mjs')
/** More than the bench has sessions, so that none waits. */
const SESSIONS_AT_ONCE = 1000

export const startHostedProcess = async (options: HostedProcessOptions): Promise<HostedProcess> => {
  const { home, model, databaseUrl, port = 0 } = options
  mkdirSync(home, { recursive: true })
  writeFileSync(
    join(home, 'settings.json'),
    JSON.stringify({ hosted: { sessions: SESSIONS_AT_ONCE } }),
  )
  const startedMs = performance.now()
  const args = [LAUNCHER, 'hosted', 'serve', '--port', String(port), '--json']
  const child = spawn(process.execPath, args, {
    env: {
      PATH: process.env.PATH,
      HOME: home,
      STEWARD_HOME: home,
      LLM_PROVIDER: 'anthropic',
      LLM_BASE_URL: model,
      LLM_API_KEY: 'sk-stand-in',
      ...(process.env.NODE_OPTIONS === undefined ? {} : { NODE_OPTIONS: process.env.NODE_OPTIONS }),
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const { value, done } = await createInterface({ input: child.stdout })
    [Symbol.asyncIterator]()
    .next()
  if (done) throw new Error('the server ended before it was ready')
  const said = announcement.parse(JSON.parse(value))
  return {
    ...said,
    startMs: performance.now() - startedMs,
    key: readFileSync(join(home, 'hosted/own.key'), 'utf8').trim(),
    stop: () => {
      child.kill('SIGTERM')
      return exited
    },
    kill: () => {
      process.kill(said.pid, 'SIGKILL')
      return exited
    },
  }
}
