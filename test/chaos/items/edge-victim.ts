import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
import { flowItem } from '@steward/contract'
import { findFreePorts } from '@steward/platform/testing'
import { z } from 'zod'
import { bundleChild } from '../../../scripts/testing/bundle-child.ts'
import type { World } from '../world.ts'
import { DELIVERED, EDGE_TOKEN, FLOW, readColumn, type StartVictim, type Stored } from './victim.ts'

const EDGE = join(import.meta.dirname, 'edge-child.ts')
const PORTS_NEEDED = 10
const PATIENCE_MS = 60_000
const POLL_MS = 20
/** Every answer names its item and step. */
const ANSWERS = /answer to (item-\d+ [A-Z]+)/g

const announced = z.object({
  workers: z.array(z.object({ name: z.string(), url: z.string() })),
})
const started = z.object({ run_id: z.string() })
const status = z.object({
  state: z.object({ lastRun: z.object({ runId: z.string() }) }).nullable(),
})
const listed = z.object({ items: z.array(flowItem) })

/** The processes of workerd: one for the library and the flows, one for each action of the user. */
const findRuntimes = ({ home }: World): number[] =>
  readFileSync(join(home, 'state/edge/workerd.pids'), 'utf8')
    .split('\n')
    .map(Number)
    .filter((pid) => pid > 1 && isWorkerd(pid))

/** A number of a process that ended may belong to another program by now. */
const isWorkerd = (pid: number): boolean => readProcess(pid, 'cmdline').includes('workerd')

/** Empty if the process has ended. */
const readProcess = (pid: number, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

const hasEnded = (pid: number): boolean => /^$| [ZX] /.test(readProcess(pid, 'stat'))

/** The stand-ins accept a connection in one turn of their event loop and read it in the next. */
const TURNS_TO_READ = 5

/** Returns once the stand-ins have received what the runtime had sent before it died. */
const killRuntime = async (pid: number): Promise<void> => {
  process.kill(pid, 'SIGKILL')
  while (!hasEnded(pid)) await turn()
  for (let each = 0; each < TURNS_TO_READ; each++) await turn()
}

interface Edge {
  url: string
  kill: () => Promise<void>
}

/** The ledger is in one of the D1 databases. A delivered item has the answers of all its steps. */
const readStored = ({ home }: World): Stored => {
  const folder = join(home, 'state/edge')
  const files = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []
  for (const name of files.filter((each) => each.endsWith('.sqlite'))) {
    const file = join(folder, name)
    const tables = readColumn(file, "SELECT name FROM sqlite_master WHERE name LIKE 'flow_%'")
    if (!tables.includes('flow_items')) continue
    const deliveries = readColumn(file, DELIVERED)
    const outputs = ['flow_items', 'flow_steps']
      .filter((table) => tables.includes(table))
      .flatMap((table) => readColumn(file, `SELECT output FROM ${table} WHERE output IS NOT NULL`))
    return {
      answers: new Set([
        ...outputs.flatMap((text) => [...text.matchAll(ANSWERS)].map(([, what = '']) => what)),
        ...deliveries.flatMap((item) => [`${item} SUMMARISE`, `${item} JUDGE`]),
      ]),
      deliveries: new Set(deliveries),
      begunAgain: 0,
    }
  }
  return { answers: new Set(), deliveries: new Set(), begunAgain: 0 }
}

/** Kills either the whole edge, which is then started again, or one runtime, which it restarts. */
export const startEdgeVictim: StartVictim = (world, { below }) => {
  const bundled = bundleChild(EDGE, world.folder)
  let edge: Edge | undefined
  let kills = 0
  const start = async (): Promise<Edge> => {
    const port = String(await findFreePorts(PORTS_NEEDED))
    const up = await world.start([port], await bundled)
    const url = announced.parse(up.announced).workers.find(({ name }) => name === FLOW)?.url
    if (url === undefined) throw new Error(`the local edge does not run ${FLOW}`)
    return { url, kill: up.kill }
  }
  const call = async (path: string, method = 'GET'): Promise<unknown> => {
    const headers = { authorization: `Bearer ${EDGE_TOKEN}` }
    const answer = await fetch(`${edge?.url}${path}`, { method, headers })
    const text = await answer.text()
    return answer.ok ? JSON.parse(text) : undefined
  }
  /** A runtime that was killed comes back; until then calls fail. */
  const insist = async (path: string, method?: string): Promise<unknown> => {
    const deadline = performance.now() + PATIENCE_MS
    for (;;) {
      const answer = await call(path, method).catch(() => undefined)
      if (answer !== undefined) return answer
      if (edge === undefined) return undefined
      if (performance.now() > deadline) throw new Error(`the local edge does not answer ${path}`)
      await delay(POLL_MS)
    }
  }
  return {
    run: async (onBegin) => {
      edge ??= await start()
      const before = kills
      const begun = await insist('/trigger', 'POST')
      if (begun === undefined) return
      // Parts that survived a kill may have sent requests of the run that died until now.
      onBegin()
      const { run_id } = started.parse(begun)
      while (kills === before) {
        const now = await call('/status').catch(() => undefined)
        if (now !== undefined && status.parse(now).state?.lastRun.runId === run_id) return
        await delay(POLL_MS)
      }
    },
    kill: async () => {
      if (edge === undefined) return false
      kills++
      const runtimes = findRuntimes(world)
      if (runtimes.length > 0 && below(5) > 0) {
        await killRuntime(runtimes[below(runtimes.length)] ?? 0)
        return true
      }
      const victim = edge
      edge = undefined
      await victim.kill()
      return true
    },
    items: async () => {
      edge ??= await start()
      return listed.parse(await insist('/items?limit=1000')).items
    },
    stored: () => readStored(world),
    hasKeys: true,
    close: async () => edge?.kill(),
  }
}
