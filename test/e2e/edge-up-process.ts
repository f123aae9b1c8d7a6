import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFreePorts } from '@steward/platform/testing'
import { z } from 'zod'
import type { Cli } from './cli-process.ts'
import { CLONE_LAUNCHER } from './launcher.ts'
import { follow, type LongProcess, type LongProcessOptions, spawnSteward } from './long-process.ts'

export const TOKEN = 'token-of-the-edge-tests'

const announcement = z.object({
  workers: z.array(z.object({ name: z.string(), worker: z.string(), url: z.string() })),
  token: z.string().optional(),
})

/** A real `steward edge up` as a child process. */
export interface EdgeProcess extends LongProcess {
  urls: Record<string, string>
  token: string | undefined
  /** Writes a line to standard input and reads the response line. */
  ask: (line: string) => Promise<unknown>
  call: (
    name: string,
    path: string,
    init?: RequestInit,
  ) => Promise<{ status: number; body: unknown }>
}

const PORTS_NEEDED = 60

/** A port on which an edge's workers can listen. */
export const findEdgePort = (): Promise<number> => findFreePorts(PORTS_NEEDED)

export const spawnEdge = (
  cli: Cli,
  { args = [], env = {} }: LongProcessOptions,
): ChildProcessWithoutNullStreams =>
  spawnSteward(cli, CLONE_LAUNCHER, ['edge', 'up', '--json', ...args], {
    AUTH_TOKEN: TOKEN,
    ...env,
  })

export const startEdge = async (
  cli: Cli,
  options: LongProcessOptions = {},
): Promise<EdgeProcess> => {
  const child = spawnEdge(cli, options)
  const { nextLine, ...followed } = follow(child)
  const nextJson = async (): Promise<unknown> => JSON.parse(await nextLine())
  const { workers, token } = announcement.parse(await nextJson())
  const urls = Object.fromEntries(workers.map(({ name, url }) => [name, url]))
  return {
    ...followed,
    urls,
    token,
    ask: (line) => {
      child.stdin.write(`${line}\n`)
      return nextJson()
    },
    call: async (name, path, init = {}) => {
      const response = await fetch(`${urls[name]}${path}`, {
        ...init,
        headers: { authorization: `Bearer ${TOKEN}`, ...init.headers },
      })
      const body = await response.text()
      return { status: response.status, body: body === '' ? undefined : JSON.parse(body) }
    },
  }
}

export const post = (body: unknown): RequestInit => ({
  method: 'POST',
  body: JSON.stringify(body),
})

/** Writes a worker directory by hand, to test what the platform provides without our factories. */
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
