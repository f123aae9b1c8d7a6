import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { readWorkerDirectories, startHost } from '@steward/edge'
import { z } from 'zod'

type Print = (line: string) => void

const ROOT = join(import.meta.dirname, '..')
const LAUNCHER = join(ROOT, 'packages/cli/bin/steward.mjs')
const TOKEN = 'token-of-the-bench'
const CONNECTIONS = 8
const ROUNDS = 5
const ROUND_MS = 1500
const SOAK_REQUESTS = 100_000
/** A busy machine may not get that far. */
const SOAK_MS = 120_000
/** By then code is compiled, connections are open, and the heaps have grown to what they like. */
const WARM_REQUESTS = 20_000
/** Readings at a point: collectors give memory back when they please, so the least one counts. */
const MEMORY_READINGS = 10
const MEMORY_READING_EVERY_MS = 300
const QUEUE_MESSAGES = 20_000
const QUEUE_DEADLINE_MS = 120_000

/**
 * Our factories on workerd against bare handlers with the same bindings, in one process and by
 * turns; then the whole `edge up`: start, queue, and memory after many requests.
 */
export const benchEdge = async (print: Print): Promise<void> => {
  const root = mkdtempSync(join(tmpdir(), 'steward-bench-'))
  try {
    writeDefinitions(root)
    const workers = join(root, 'workers')
    for (const [short, worker] of Object.entries(BARE)) writeBare(workers, short, worker)
    execFileSync(process.execPath, [LAUNCHER, 'edge', 'build', '--out', workers], {
      env: environmentOf(root),
      stdio: 'ignore',
    })
    await benchFactories(print, root, workers)
    await benchEdgeUp(print, root, workers)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

const ITEM = { content: 'A storm came in from the west that night. ', page: 4 }
const PLACES = {
  action: { ours: 'exec-a-count-words', bare: 'exec-a-bare-one', path: '/' },
  pipeline: { ours: 'exec-p-count-and-mark', bare: 'exec-p-bare', path: '/' },
} as const
const FLOWS = { ours: 'exec-f-file-count', bare: 'exec-f-bare' } as const

const benchFactories = async (print: Print, root: string, workers: string): Promise<void> => {
  const { workers: directories, problems } = await readWorkerDirectories(workers)
  if (problems[0] !== undefined) throw problems[0]
  const startedAt = performance.now()
  const host = await startHost(directories, {
    environment: { AUTH_TOKEN: TOKEN, LLM_PROVIDER: 'offline' },
    vars: {},
    virtualNow: undefined,
    stateFolder: join(root, 'factories'),
    sendToQueue: () => Promise.reject(new Error('no queue here')),
    callSandbox: () => Promise.reject(new Error('no sandbox here')),
    log: () => undefined,
    warn: () => undefined,
  })
  const startMs = performance.now() - startedAt
  print(`workerd with ${directories.length} workers: ready after ${startMs.toFixed(0)} ms`)
  try {
    for (const [kind, { ours, bare, path }] of Object.entries(PLACES)) {
      const addresses = await Promise.all([ours, bare].map((worker) => host.addressOf(worker)))
      const [oursUrl, bareUrl] = addresses.map((url) => new URL(path, url).href)
      await compare(print, kind, { ours: () => loadFor(oursUrl), bare: () => loadFor(bareUrl) })
    }
    // A flow has one run at a time, so they follow each other.
    await compare(print, 'flow', {
      ours: () => runInTurn(() => host.runScheduled(FLOWS.ours, '0 * * * *', Date.now())),
      bare: () => runInTurn(() => host.runScheduled(FLOWS.bare, '0 * * * *', Date.now())),
    })
  } finally {
    await host.dispose()
  }
}

type Side = 'ours' | 'bare'

/** By turns, so that a slow moment of the machine hits both; the first round only compiles. */
const compare = async (
  print: Print,
  kind: string,
  sides: Record<Side, () => Promise<Load>>,
): Promise<void> => {
  const rounds: Record<Side, Load>[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const measured = { ours: await sides.ours(), bare: await sides.bare() }
    if (round > 0) rounds.push(measured)
  }
  const show = (side: Side): string => {
    const of = (key: keyof Load) => middle(rounds.map((each) => each[side][key]))
    const errors = rounds.reduce((sum, each) => sum + each[side].errors, 0)
    const failed = errors === 0 ? '' : `, ${errors} ERRORS`
    return `${side} ${of('rps').toFixed(0)}/s p99 ${of('p99Ms').toFixed(1)} ms${failed}`
  }
  const ratio = middle(rounds.map(({ ours, bare }) => ours.rps / bare.rps))
  print(`${kind}: ${show('ours')}, ${show('bare')}, ratio ${ratio.toFixed(2)}`)
}

const runInTurn = async (run: () => Promise<string>): Promise<Load> => {
  const timesMs: number[] = []
  let errors = 0
  const startedAt = performance.now()
  while (performance.now() - startedAt < ROUND_MS) {
    const at = performance.now()
    if ((await run()) !== 'ok') errors += 1
    timesMs.push(performance.now() - at)
  }
  return summarize(timesMs, performance.now() - startedAt, errors)
}

const summarize = (timesMs: number[], durationMs: number, errors: number): Load => ({
  requests: timesMs.length,
  rps: (timesMs.length / durationMs) * 1000,
  p99Ms: timesMs.toSorted((a, b) => a - b)[Math.floor(timesMs.length * 0.99)] ?? 0,
  errors,
})

const announcement = z.object({
  workers: z.array(z.object({ worker: z.string(), url: z.string() })),
})

const benchEdgeUp = async (print: Print, root: string, workers: string): Promise<void> => {
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
    await benchQueue(print, `${urls.get('exec-f-bare-queue')}`)
    const action = `${urls.get(PLACES.action.ours)}/`
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

/** The least of several readings: what is held, not what is about to be collected. */
const settledMemoryOf = async (pid: number | undefined): Promise<number> => {
  const readings: number[] = []
  for (let count = 0; count < MEMORY_READINGS; count++) {
    readings.push(memoryOf(pid))
    await sleep(MEMORY_READING_EVERY_MS)
  }
  return Math.min(...readings)
}

/** Resident memory of the process and of what it started, in megabytes. */
const memoryOf = (pid: number | undefined): number => {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,rss='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
  const kilobytes = lines
    .filter(([own, parent]) => own === pid || parent === pid)
    .reduce((sum, [, , rss = 0]) => sum + rss, 0)
  return Math.round(kilobytes / 1024)
}

const middle = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

const loadReport = z.object({
  requests: z.number(),
  rps: z.number(),
  p99Ms: z.number(),
  errors: z.number(),
})
type Load = z.infer<typeof loadReport>

const loadFor = (url: string | undefined) => load(url, Number.MAX_SAFE_INTEGER, ROUND_MS)

/** The requests come from a process of their own; it ends at `count` or when the time is up. */
const load = (url: string | undefined, count: number, limitMs: number): Promise<Load> =>
  new Promise((resolve, reject) => {
    const args = [import.meta.filename, 'load', String(url), String(count), String(limitMs)]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let text = ''
    child.stdout.on('data', (chunk: Uint8Array) => {
      text += Buffer.from(chunk).toString()
    })
    child.once('error', reject)
    child.once('close', () => resolve(loadReport.parse(JSON.parse(text))))
  })

const generateLoad = async (url: string, count: number, limitMs: number): Promise<Load> => {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const body = JSON.stringify(ITEM)
  const timesMs: number[] = []
  let errors = 0
  let left = count
  const startedAt = performance.now()
  const work = async () => {
    while (left-- > 0) {
      const at = performance.now()
      if (at - startedAt > limitMs) break
      const status = await postOnce(url, body, agent)
      if (status >= 300) errors += 1
      timesMs.push(performance.now() - at)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, work))
  const durationMs = performance.now() - startedAt
  agent.destroy()
  return summarize(timesMs, durationMs, errors)
}

const postOnce = (url: string, body: string, agent: Agent): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-length': Buffer.byteLength(body) }
    const outgoing = request(url, { method: 'POST', agent, headers }, (incoming) => {
      incoming.resume()
      incoming.once('end', () => resolve(incoming.statusCode ?? 0))
    })
    outgoing.once('error', reject)
    outgoing.end(body)
  })

const environmentOf = (root: string) => ({
  PATH: process.env.PATH,
  HOME: root,
  STEWARD_HOME: join(root, 'home'),
  LLM_PROVIDER: 'offline',
  AUTH_TOKEN: TOKEN,
})

const writeDefinitions = (root: string): void => {
  const write = (path: string, text: string) => {
    const file = join(root, 'home/USER', path)
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, text)
  }
  const names = ['A_COUNT_WORDS', 'A_MARK_LONG', 'A_MARK_SHORT']
  for (const [index, name] of names.entries()) {
    const manifest = { name, description: name, input: {}, output: {}, requires: [] }
    write(`ACTIONS/${name}/action.json`, JSON.stringify(manifest))
    write(`ACTIONS/${name}/action.mjs`, `export const execute = async () => ({ own${index}: 1 })\n`)
  }
  const actions = names.map((name) => `  - ${name}\n`).join('')
  write(
    'PIPELINES/P_COUNT_AND_MARK.yaml',
    `name: P_COUNT_AND_MARK\ndescription: d\nactions:\n${actions}`,
  )
  write('FLOWS/items.json', JSON.stringify([{ id: 'one', ...ITEM }]))
  const flow = {
    id: 'flow-file-count',
    name: 'F_FILE_COUNT',
    source: { type: 'file', path: 'items.json' },
    pipeline: 'P_COUNT_AND_MARK',
    destination: { type: 'file', path: 'out.jsonl' },
    schedule: { intervalMinutes: 60, enabled: true },
  }
  write('FLOWS/flow-index.json', JSON.stringify({ flows: [flow] }))
}

const BARE_ACTION = (index: number) => `
export default { async fetch(request, env) {
  if (request.headers.get('authorization') !== 'Bearer ' + env.AUTH_TOKEN) return new Response('', { status: 401 })
  const input = await request.json()
  return Response.json({ success: true, output: { ...input, own${index}: 1 } })
} }`

const BARE_PIPELINE = `
export default { async fetch(request, env) {
  const authorization = request.headers.get('authorization')
  if (authorization !== 'Bearer ' + env.AUTH_TOKEN) return new Response('', { status: 401 })
  let fields = await request.json()
  for (const target of [env.ONE, env.TWO, env.THREE]) {
    const response = await target.fetch('https://internal/', { method: 'POST', headers: { authorization }, body: JSON.stringify(fields) })
    fields = (await response.json()).output
  }
  return Response.json({ success: true, output: fields })
} }`

/**
 * What the flow of ours was recorded to do when its one item is known: one read for the marks of all
 * items, one of the state, one write of it with how the run went. Ours also writes a line of log.
 */
const BARE_FLOW = `
const items = ['one']
export default {
  async scheduled(controller, env) {
    const startedAt = new Date().toISOString()
    const seen = await env.SEEN_ITEMS.get(items.map((id) => 'seen:flow-bare:' + id))
    const alreadySeen = [...seen.values()].filter((mark) => mark !== null).length
    const state = await env.FLOW_STATE.get('state:flow-bare', 'json')
    const lastRun = {
      runId: crypto.randomUUID(), startedAt, endedAt: new Date().toISOString(), durationMs: 0,
      outcome: 'nothing-new', reason: 'all 1 items were seen before',
      items: { found: items.length, alreadySeen, delivered: 0, rejected: 0, failed: 0, postponed: 0 },
      errors: [], spend: { calls: 0, inputTokens: 0, outputTokens: 0, cost: 0, models: [] },
    }
    const next = {
      id: 'flow-bare', name: 'F_BARE', enabled: true, lastRun,
      lastDeliveredAt: state?.lastDeliveredAt ?? null, consecutiveFailures: 0, runs: (state?.runs ?? 0) + 1,
    }
    await env.FLOW_STATE.put('state:flow-bare', JSON.stringify(next))
  },
}`

const BARE_QUEUE = `
let seen = 0
export default {
  async fetch(request, env) {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname === '/seen') return new Response(String(seen))
    const messages = Array.from({ length: 100 }, (_, n) => ({ body: { n } }))
    for (let sent = 0; sent < Number(searchParams.get('count')); sent += 100) await env.ITEMS.sendBatch(messages)
    return new Response('sent')
  },
  async queue(batch) { seen += batch.messages.length },
}`

interface BareWorker {
  code: string
  configuration?: Record<string, unknown>
}

const BARE: Record<string, BareWorker> = {
  'a-bare-one': { code: BARE_ACTION(0) },
  'a-bare-two': { code: BARE_ACTION(1) },
  'a-bare-three': { code: BARE_ACTION(2) },
  'p-bare': {
    code: BARE_PIPELINE,
    configuration: {
      services: ['one', 'two', 'three'].map((word) => ({
        binding: word.toUpperCase(),
        service: `exec-a-bare-${word}`,
      })),
    },
  },
  'f-bare': {
    code: BARE_FLOW,
    configuration: {
      kv_namespaces: ['FLOW_STATE', 'SEEN_ITEMS'].map((binding) => ({
        binding,
        id: `bare-${binding}`,
      })),
    },
  },
  'f-bare-queue': {
    code: BARE_QUEUE,
    configuration: {
      queues: {
        producers: [{ binding: 'ITEMS', queue: 'bench-items' }],
        consumers: [{ queue: 'bench-items', max_batch_size: 100, max_batch_timeout: 0 }],
      },
    },
  },
}

const writeBare = (workers: string, short: string, { code, configuration }: BareWorker): void => {
  const directory = join(workers, short)
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'index.js'), code)
  writeFileSync(join(directory, 'steward.json'), '{}')
  writeFileSync(
    join(directory, 'wrangler.jsonc'),
    JSON.stringify({
      name: `exec-${short}`,
      main: 'index.js',
      compatibility_date: '2026-07-30',
      compatibility_flags: ['nodejs_compat'],
      ...configuration,
    }),
  )
}

if (import.meta.main) {
  const [mode, url = '', count, limitMs] = process.argv.slice(2)
  if (mode === 'load')
    console.log(JSON.stringify(await generateLoad(url, Number(count), Number(limitMs))))
  else await benchEdge(console.log)
}
