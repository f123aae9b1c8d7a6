import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePorts } from '@steward/platform/testing'
import { z } from 'zod'
import { writeWorkerFiles } from '../../packages/edge/src/local/testing/worker-files.ts'
import type { Fault, World } from './world.ts'

const PORTS_NEEDED = 60
/** A message whose worker died is delivered again after 5 seconds. */
const PATIENCE_MS = 90_000

/** Acknowledges an item when it is in a queue or a table; the table has what was delivered. */
const WORKER = `
const store = async (env, item) => {
  await env.FLOW_DB.exec('CREATE TABLE IF NOT EXISTS seen (item TEXT PRIMARY KEY)')
  await env.FLOW_DB.prepare('INSERT OR IGNORE INTO seen VALUES (?)').bind(item).run()
}
export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url)
    const item = decodeURIComponent(pathname.split('/')[2] ?? '')
    if (pathname.startsWith('/send/')) await env.ITEMS.send(item)
    if (pathname.startsWith('/store/')) await store(env, item)
    if (pathname !== '/seen') return Response.json({ acknowledged: item })
    await store(env, 'first')
    const { results } = await env.FLOW_DB.prepare('SELECT item FROM seen').all()
    return Response.json(results.map(({ item }) => item))
  },
  async queue(batch, env) {
    for (const { body } of batch.messages) await store(env, body)
  },
}`

const announced = z.object({
  workers: z.array(z.object({ name: z.string(), url: z.string() })),
})

interface Edge {
  url: string
  kill: () => Promise<void>
}

const startEdge = async (world: World): Promise<Edge> => {
  writeWorkerFiles(join(world.folder, 'workers'), 'f-keep-items', {
    code: WORKER,
    configuration: {
      d1_databases: [{ binding: 'FLOW_DB', database_id: 'items', database_name: 'items' }],
      queues: {
        producers: [{ binding: 'ITEMS', queue: 'chaos-items' }],
        consumers: [{ queue: 'chaos-items', max_batch_timeout: 0, max_retries: 10 }],
      },
    },
  })
  const port = String(await findFreePorts(PORTS_NEEDED))
  const started = await world.start(['edge', 'up', '--json', '--port', port])
  const { workers } = announced.parse(started.announced)
  const url = workers.find(({ name }) => name === 'F_KEEP_ITEMS')?.url
  if (url === undefined) throw new Error('the local edge does not run F_KEEP_ITEMS')
  return { url, kill: started.kill }
}

/** Sends items until told to stop; a failed call is not acknowledged and is not counted. */
const addItems = async (world: World, { url }: Edge, round: number, until: () => boolean) => {
  for (let n = 0; !until(); n++) {
    const item = `${round}-${n}`
    const path = n % 2 === 0 ? 'send' : 'store'
    try {
      const answer = await fetch(`${url}/${path}/${item}`, { method: 'POST' })
      await answer.body?.cancel()
      if (answer.ok) world.edgeItems.add(item)
    } catch {
      await sleep(50)
    }
  }
}

const MORE_ITEMS = 6

/** A fault proves something only if items were acknowledged before it. */
const untilMoreItems = async ({ edgeItems }: World): Promise<void> => {
  const wanted = edgeItems.size + MORE_ITEMS
  const deadline = performance.now() + PATIENCE_MS
  while (edgeItems.size < wanted) {
    if (performance.now() > deadline) throw new Error('the local edge acknowledges nothing')
    await sleep(20)
  }
}

const findLostItems = async (world: World, { url }: Edge): Promise<string[]> => {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const seen = new Set(await readSeen(url))
    const lost = [...world.edgeItems].filter((item) => !seen.has(item))
    if (lost.length === 0) return []
    if (performance.now() > deadline) {
      return [`${lost.length} of ${world.edgeItems.size} items of the local edge were lost`]
    }
    await sleep(200)
  }
}

const readSeen = async (url: string): Promise<string[]> => {
  try {
    const answer = await fetch(`${url}/seen`)
    return answer.ok ? z.array(z.string()).parse(await answer.json()) : []
  } catch {
    return []
  }
}

/** The edge and all its workers end at once; the next start has everything. */
export const killEdge: Fault = async (world, random, round) => {
  const edge = await startEdge(world)
  let isOver = false
  const load = addItems(world, edge, round, () => isOver)
  await untilMoreItems(world)
  await sleep(random.below(1500))
  await edge.kill()
  isOver = true
  await load
  const again = await startEdge(world)
  const violations = await findLostItems(world, again)
  await again.kill()
  return violations
}

/** Only the runtime dies; the edge restarts it under the same addresses. */
export const killWorkerd: Fault = async (world, random, round) => {
  const edge = await startEdge(world)
  let isOver = false
  const load = addItems(world, edge, round, () => isOver)
  for (let kills = 0; kills < 3; kills++) {
    // The last kill may hit a runtime that is still starting.
    if (kills < 2) await untilMoreItems(world)
    await sleep(random.below(1000))
    process.kill(await nextWorkerd(world, kills), 'SIGKILL')
  }
  await untilMoreItems(world)
  isOver = true
  await load
  const violations = await findLostItems(world, edge)
  await edge.kill()
  return violations
}

/** The process that was started after this many others. */
const nextWorkerd = async ({ home }: World, before: number): Promise<number> => {
  const deadline = performance.now() + PATIENCE_MS
  while (performance.now() < deadline) {
    const text = readFileSync(join(home, 'state/edge/workerd.pids'), 'utf8')
    const pid = Number(text.split('\n')[before])
    if (pid > 0) return pid
    await sleep(50)
  }
  throw new Error(`workerd was not restarted after ${before} kills`)
}
