import { findFreePorts } from '@steward/platform/testing'
import type { Cli } from '../cli-process.ts'
import {
  type HostedBrain,
  type HostedProcess,
  startHostedBrain,
  startHostedProcess,
} from '../hosted-process.ts'
import type { Kill, Kind } from './draw-kills.ts'

/** Servers that only answer clients, and brains that only run sessions, sharing one store. */
export interface Fleet {
  /** The addresses of the servers, which stay the same after a restart. */
  addresses: readonly string[]
  /** Kills a process with SIGKILL and starts a replacement; resolves when that is ready. */
  kill: (victim: Pick<Kill, 'kind' | 'place'>) => Promise<void>
  /** Kills a brain with SIGKILL, and starts a replacement only after the work is done. */
  withoutBrain: (place: number, work: () => Promise<void>) => Promise<void>
  killed: readonly { kind: Kind; atMs: number }[]
  /**
   * Rejects if a process exits without being killed by the test, because sessions may then wait for
   * ever.
   */
  failed: Promise<never>
  stop: () => Promise<void>
}

export const startFleet = async (
  cli: Cli,
  env: Record<string, string>,
  count: Readonly<Record<Kind, number>>,
  /** The data homes of the brains, in turn; by default that of the servers. */
  homes: readonly Cli[] = [cli],
): Promise<Fleet> => {
  const { promise: failed, reject } = Promise.withResolvers<never>()
  const ended = new Set<HostedBrain>()
  const watch = <T extends HostedBrain>(child: T): T => {
    child.exited.then((code) => {
      if (!ended.has(child)) reject(new Error(`a process ended with ${code}: ${child.stderr()}`))
    }, reject)
    return child
  }
  const startServer = async (port: number): Promise<HostedProcess> =>
    watch(await startHostedProcess(cli, env, { port, flags: ['--api-only'] }))
  const startBrain = async (place: number): Promise<HostedBrain> =>
    watch(await startHostedBrain(homes[place % homes.length] ?? cli, env))
  const startAll = <T>(many: number, start: (place: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: many }, (_, place) => start(place)))
  const firstPort = await findFreePorts(count.server)
  const [servers, brains] = await Promise.all([
    startAll(count.server, (place) => startServer(firstPort + place)),
    startAll(count.brain, startBrain),
  ])
  const addresses = servers.map(({ address }) => address)
  const killed: { kind: Kind; atMs: number }[] = []

  const end = async (kind: Kind, victim: HostedBrain | undefined): Promise<void> => {
    if (victim === undefined) throw new Error(`there is no such ${kind}`)
    ended.add(victim)
    killed.push({ kind, atMs: Date.now() })
    await victim.kill()
  }
  return {
    addresses,
    killed,
    failed,
    kill: async ({ kind, place }) => {
      if (kind === 'brain') {
        await end(kind, brains[place])
        brains[place] = await startBrain(place)
        return
      }
      await end(kind, servers[place])
      servers[place] = await startServer(firstPort + place)
    },
    withoutBrain: async (place, work) => {
      await end('brain', brains[place])
      await work()
      brains[place] = await startBrain(place)
    },
    stop: async () => {
      for (const child of [...servers, ...brains]) ended.add(child)
      await Promise.all([...servers, ...brains].map((child) => child.stop()))
    },
  }
}
