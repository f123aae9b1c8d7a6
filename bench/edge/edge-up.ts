import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { environmentOf, LAUNCHER } from './bench-home.ts'
import { comparePlaces } from './factories.ts'
import { load } from './load.ts'
import { settledMemoryOf } from './memory.ts'

type Print = (line: string) => void

const SOAK_REQUESTS = 100_000
/** A busy machine may not finish in time. */
const SOAK_MS = 120_000
/** By then code is compiled, connections are open, and the heaps have grown. */
const WARM_REQUESTS = 20_000
const QUEUE_MESSAGES = 20_000
const QUEUE_DEADLINE_MS = 120_000

const announcement = z.object({
  workers: z.array(z.object({ worker: z.string(), url: z.string() })),
})

/** The whole `edge up`: start, queue, and memory after many requests. */
export const benchEdgeUp = async (print: Print, root: string, workers: string): Promise<void> => {
  const startedAt = performance.now()
  const args = [LAUNCHER, 'edge', 'up', '--json', '--port', '18700', '--dir', workers]
  const child = spawn(process.execPath, args, {
    env: environmentOf(root),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  try {
    const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()
    const urls = new Map(
      announcement.parse(JSON.parse(String(value))).workers.map(({ worker, url }) => [worker, url]),
    )
    print(`edge up, nothing to build: ready after ${(performance.now() - startedAt).toFixed(0)} ms`)
    // Both sides' actions run in processes of their own, and are called through this one.
    await comparePlaces(print, ' through edge up', async (worker) => new URL(`${urls.get(worker)}`))
    await benchQueue(print, `${urls.get('exec-f-bare-queue')}`)
    const action = `${urls.get('exec-a-count-words')}/`
    await load(action, WARM_REQUESTS, SOAK_MS)
    const before = await settledMemoryOf(child.pid)
    const { requests, rps, p99Ms, errors } = await load(action, SOAK_REQUESTS, SOAK_MS)
    const after = await settledMemoryOf(child.pid)
    print(
      `edge up, ${requests} requests to an action at its address: ${rps.toFixed(0)}/s p99 ${p99Ms.toFixed(1)} ms, ${errors} errors`,
    )
    print(
      `memory after ${WARM_REQUESTS} requests ${before} MB, after ${requests} more ${after} MB, ratio ${(after / before).toFixed(2)}`,
    )
  } finally {
    child.kill('SIGTERM')
    await ended
  }
}

const benchQueue = async (print: Print, url: string): Promise<void> => {
  const startedAt = performance.now()
  await fetch(`${url}/send?count=${QUEUE_MESSAGES}`, { method: 'POST' })
  const sentMs = performance.now() - startedAt
  for (;;) {
    const seen = Number(await (await fetch(`${url}/seen`)).text())
    if (seen >= QUEUE_MESSAGES) break
    if (performance.now() - startedAt > QUEUE_DEADLINE_MS) throw new Error(`only ${seen} delivered`)
  }
  const doneMs = performance.now() - startedAt
  const rate = (ms: number) => `${((QUEUE_MESSAGES / ms) * 1000).toFixed(0)}/s`
  print(`queue, ${QUEUE_MESSAGES} messages: stored ${rate(sentMs)}, delivered ${rate(doneMs)}`)
}
