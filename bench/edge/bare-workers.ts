import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

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

/** The same pipeline, which records each run in one row after its answer, as ours does by default. */
const BARE_RECORD = BARE_PIPELINE.replace(
  'fetch(request, env)',
  'fetch(request, env, context)',
).replace(
  'return Response.json',
  `const row = JSON.stringify({ id: crypto.randomUUID(), status: 'completed', output: fields })
  context.waitUntil(env.ITEMS_DB.prepare('INSERT INTO bare_runs VALUES (?1)').bind(row).all().catch(() =>
    env.ITEMS_DB.prepare('CREATE TABLE IF NOT EXISTS bare_runs (row TEXT)').all()))
  return Response.json`,
)

/**
 * The recorded operations of our flow when its one item is already known: one read of the states
 * of all items, one of the state, one write of it with the run's result. Ours also writes a log line.
 */
const BARE_FLOW = `
const items = ['one']
let isPrepared = false
const prepare = (db) => db.batch([
  db.prepare("CREATE TABLE IF NOT EXISTS items (flow TEXT, item TEXT, state TEXT, PRIMARY KEY (flow, item))"),
  db.prepare("INSERT OR IGNORE INTO items VALUES ('flow-bare', 'one', 'delivered')"),
])
export default {
  async scheduled(controller, env) {
    if (!isPrepared) await prepare(env.ITEMS_DB)
    isPrepared = true
    const startedAt = new Date().toISOString()
    const { results } = await env.ITEMS_DB
      .prepare("SELECT item, state FROM items WHERE flow = ?1 AND (item IN (SELECT value FROM json_each(?2)) OR state = 'found')")
      .bind('flow-bare', JSON.stringify(items))
      .all()
    const alreadySeen = results.filter(({ state }) => state === 'delivered').length
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
  /** Run by `edge up` in a process of its own, as the user's actions are. */
  apart?: boolean
  configuration?: Record<string, unknown>
}

const ITEMS_DB = {
  d1_databases: [{ binding: 'ITEMS_DB', database_name: 'bare-items', database_id: 'bare-items' }],
}
const ACTION_SERVICES = ['one', 'two', 'three'].map((word) => ({
  binding: word.toUpperCase(),
  service: `exec-a-bare-${word}`,
}))

const BARE: Record<string, BareWorker> = {
  'a-bare-one': { code: BARE_ACTION(0), apart: true },
  'a-bare-two': { code: BARE_ACTION(1), apart: true },
  'a-bare-three': { code: BARE_ACTION(2), apart: true },
  'p-bare': { code: BARE_PIPELINE, configuration: { services: ACTION_SERVICES } },
  'p-bare-record': {
    code: BARE_RECORD,
    configuration: { services: ACTION_SERVICES, ...ITEMS_DB },
  },
  'f-bare': {
    code: BARE_FLOW,
    configuration: {
      kv_namespaces: [{ binding: 'FLOW_STATE', id: 'bare-state' }],
      ...ITEMS_DB,
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

const writeBare = (
  workers: string,
  short: string,
  { code, apart = false, configuration }: BareWorker,
): void => {
  const directory = join(workers, short)
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'index.js'), code)
  writeFileSync(join(directory, 'steward.json'), JSON.stringify({ apart }))
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

/** The baseline: handlers without our factories, with the same bindings. */
export const writeBareWorkers = (workers: string): void => {
  for (const [short, worker] of Object.entries(BARE)) writeBare(workers, short, worker)
}
