import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Health, health } from '@steward/contract'
import { z } from 'zod'
import type { Cli } from './cli-process.ts'
import { PACKED_LAUNCHER } from './launcher.ts'
import { follow, type LongProcess, type LongProcessOptions, spawnSteward } from './long-process.ts'

const announcement = z.object({ address: z.string(), pid: z.int(), home: z.string() })

/** The watchdog may print lines first. */
const findAnnouncement = async (nextLine: () => Promise<string>): Promise<string> => {
  const line = await nextLine()
  return line.startsWith('{') ? line : findAnnouncement(nextLine)
}

/** A real `steward daemon` as a child process. */
export interface DaemonProcess extends LongProcess {
  address: string
  port: number
  pid: number
  token: () => string
  /** The next line on standard output. */
  nextLine: () => Promise<string>
  fetch: (path: string, init?: RequestInit) => Promise<Response>
  health: () => Promise<Health>
}

/** Starts a daemon on the data home of `cli`, on a free port, and waits until it is ready. */
export const startDaemonProcess = async (
  cli: Cli,
  { args = ['--port', '0'], env = {} }: LongProcessOptions = {},
): Promise<DaemonProcess> => {
  const child = spawnSteward(cli, PACKED_LAUNCHER, ['daemon', '--json', ...args], env)
  child.stdin.end()
  const followed = follow(child)
  const { address, pid } = announcement.parse(JSON.parse(await findAnnouncement(followed.nextLine)))
  const call: DaemonProcess['fetch'] = (path, init) => fetch(`${address}${path}`, init)
  return {
    ...followed,
    address,
    port: Number(new URL(address).port),
    pid,
    token: () => readFileSync(join(cli.home, 'token'), 'utf8').trim(),
    fetch: call,
    health: async () => health.parse(await (await call('/health')).json()),
  }
}
