import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { copyBuiltWorkers } from './built-workers.ts'
import { type Cli, createCli } from './cli-process.ts'
import { type EdgeProcess, findEdgePort, post, startEdge, writeWorker } from './edge-up-process.ts'
import { CLONE_LAUNCHER } from './launcher.ts'

/** Stores every tick in KV. */
const CLOCKWORK = `
export default {
  async fetch(request, env) {
    const { keys } = await env.FLOW_STATE.list()
    return Response.json(keys.map(({ name }) => name))
  },
  async scheduled({ cron, scheduledTime }, env, ctx) {
    ctx.waitUntil(env.FLOW_STATE.put(new Date(scheduledTime).toISOString() + ' ' + cron, '1'))
  },
}
`

/** Sends messages on request, stores received ones in D1, and fails those that ask for it. */
const PROBE = `
const table = (db) => db.exec('CREATE TABLE IF NOT EXISTS seen (n INTEGER, attempts INTEGER)')
export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url)
    await table(env.FLOW_DB)
    if (pathname === '/seen') {
      const { results } = await env.FLOW_DB.prepare('SELECT n, attempts FROM seen ORDER BY n').all()
      return Response.json(results)
    }
    const { messages, options, once } = await request.json()
    try {
      await (once ? env.PROBE_ITEMS.send(once, options) : env.PROBE_ITEMS.sendBatch(messages, options))
      return Response.json({ sent: true })
    } catch (error) {
      return Response.json({ sent: false, message: error.message, code: error.code })
    }
  },
  async queue(batch, env) {
    await table(env.FLOW_DB)
    for (const message of batch.messages) {
      const { n, fail, hang } = message.body
      if (hang && message.attempts === 1) {
        console.log('the sixth hangs')
        await new Promise((resolve) => setTimeout(resolve, 60_000))
      }
      if (fail) { message.retry({ delaySeconds: 0 }); continue }
      await env.FLOW_DB.prepare('INSERT INTO seen VALUES (?, ?)').bind(n, message.attempts).run()
      message.ack()
    }
  },
}
`

const answer = z.object({
  now: z.string(),
  fired: z.array(z.looseObject({ worker: z.string() })),
  delivered: z.array(z.looseObject({ queue: z.string() })),
})

let cli: Cli
let edge: EdgeProcess
let args: string[] = []

const bodies = (from: number, count: number, more = {}) =>
  Array.from({ length: count }, (_, index) => ({ body: { n: from + index, ...more } }))
const send = (body: unknown) => edge.call('F_PROBE_ITEMS', '/send', post(body))
const seen = async () => (await edge.call('F_PROBE_ITEMS', '/seen')).body
const queueLine = () => cli.json(['edge', 'queues', 'probe-items', '--json'])

beforeAll(async () => {
  cli = createCli(CLONE_LAUNCHER)
  await copyBuiltWorkers(cli)
  const workers = join(cli.files, 'workers')
  writeWorker(workers, 'f-probe-items', PROBE, {
    d1_databases: [{ binding: 'FLOW_DB', database_id: 'probe', database_name: 'probe' }],
    queues: {
      producers: [{ binding: 'PROBE_ITEMS', queue: 'probe-items' }],
      consumers: [
        {
          queue: 'probe-items',
          max_batch_size: 10,
          max_batch_timeout: 1,
          max_retries: 1,
          dead_letter_queue: 'probe-items-dead',
        },
      ],
    },
  })
  writeWorker(workers, 'f-count-ticks', CLOCKWORK, {
    triggers: { crons: ['*/5 * * * *', '0 9 * * 1-5'] },
    kv_namespaces: [{ binding: 'FLOW_STATE', id: 'ticks' }],
  })
  args = ['--port', String(await findEdgePort())]
  edge = await startEdge(cli, { args: [...args, '--at', '2026-01-30T08:52:30Z'] })
})

afterAll(async () => {
  await edge.stop()
  cli.remove()
})

/** The ticks of our own crons while the clock advanced; the library's flows have crons too. */
const ticks = async (duration: string) => {
  const { now, fired } = answer.parse(await edge.ask(`advance ${duration}`))
  return { now, fired: fired.filter(({ worker }) => worker === 'exec-f-count-ticks') }
}

/** The results of our queue's batches. */
const advance = async (duration: string) => {
  const { delivered } = answer.parse(await edge.ask(`advance ${duration}`))
  return delivered.filter(({ queue }) => queue === 'probe-items')
}

test('crons fire at their times of the virtual clock, with those times', async () => {
  expect(await ticks('2m')).toEqual({ now: '2026-01-30T08:54:30.000Z', fired: [] })
  expect(await ticks('1m')).toMatchObject({
    fired: [
      { cron: '*/5 * * * *', scheduledTime: '2026-01-30T08:55:00.000Z', outcome: 'ok', missed: 0 },
    ],
  })
  expect(await ticks('30m')).toMatchObject({ now: '2026-01-30T09:25:30.000Z' })
  const { body } = await edge.call('F_COUNT_TICKS', '/')
  expect(body).toEqual([
    '2026-01-30T08:55:00.000Z */5 * * * *',
    '2026-01-30T09:00:00.000Z */5 * * * *',
    '2026-01-30T09:00:00.000Z 0 9 * * 1-5',
    '2026-01-30T09:05:00.000Z */5 * * * *',
    '2026-01-30T09:10:00.000Z */5 * * * *',
    '2026-01-30T09:15:00.000Z */5 * * * *',
    '2026-01-30T09:20:00.000Z */5 * * * *',
    '2026-01-30T09:25:00.000Z */5 * * * *',
  ])
})

test('an unknown command gets an error', async () => {
  expect(await edge.ask('advance soon')).toEqual({
    error: 'not understood: advance soon; write for example: advance 5m',
  })
})

test('messages are delivered in batches, after the batch timeout', async () => {
  expect(await send({ messages: bodies(0, 25) })).toMatchObject({ body: { sent: true } })
  expect(await send({ once: { n: 25 }, options: { delaySeconds: 30 } })).toMatchObject({
    body: { sent: true },
  })
  expect(await advance('1s')).toMatchObject([
    { acked: 10 },
    { acked: 10 },
    { acked: 5, outcome: 'ok' },
  ])
  expect(await advance('28s')).toEqual([])
  expect(await advance('2s')).toMatchObject([{ acked: 1 }])
  expect(await seen()).toEqual(bodies(0, 26).map(({ body }) => ({ n: body.n, attempts: 1 })))
})

test('a message that fails too often becomes a dead letter, which can be listed and resent', async () => {
  await send({ messages: bodies(100, 2, { fail: true }) })
  expect(await advance('5s')).toMatchObject([{ retried: 2 }, { deadLettered: 2 }])
  expect(await queueLine()).toMatchObject({ queue: 'probe-items', ready: 0, dead: 2 })
  expect(await cli.json(['edge', 'queues', 'probe-items-dead', '--json'])).toMatchObject({
    messages: [{ body: { n: 100 } }, { body: { n: 101 } }],
  })
  expect(await cli.json(['edge', 'queues', 'retry', 'probe-items', '--json'])).toEqual({
    queue: 'probe-items',
    from: 'probe-items-dead',
    moved: 2,
  })
})

test('exceeded limits are reported, and nothing of the batch is stored', async () => {
  await advance('10s')
  expect(await send({ messages: bodies(0, 101) })).toMatchObject({
    body: {
      sent: false,
      code: 'invalid_input',
      message:
        'queue probe-items: 101 messages in one sendBatch; the limit is 100: send them in chunks',
    },
  })
  expect(await send({ once: { large: 'x'.repeat(128_000) } })).toMatchObject({
    body: { code: 'payload_too_large', message: expect.stringContaining('the limit is 128000') },
  })
  const large = { body: 'x'.repeat(127_000) }
  expect(await send({ messages: [large, large, large] })).toMatchObject({
    body: {
      code: 'payload_too_large',
      message: expect.stringContaining('the batch for queue probe-items is 381306 bytes'),
    },
  })
  expect(await send({ once: { n: 1 }, options: { delaySeconds: 90_000 } })).toMatchObject({
    body: { code: 'invalid_input', message: expect.stringContaining('from 0 to 86400') },
  })
  expect(await queueLine()).toMatchObject({ ready: 0, delayed: 0, leased: 0 })
})

test('messages that are waiting or in progress when the edge is killed are delivered afterwards', async () => {
  await send({ messages: bodies(200, 5) })
  await send({ messages: [{ body: { n: 300, hang: true } }, ...bodies(301, 3)] })
  edge.ask('advance 1s').catch(() => undefined)
  await edge.said('the sixth hangs')
  expect(await queueLine()).toMatchObject({ leased: 9 })
  await edge.kill()
  edge = await startEdge(cli, { args: [...args, '--at', '2026-01-31T09:01:00Z'] })
  expect(await queueLine()).toMatchObject({ leased: 0, ready: 9 })
  expect(await advance('10s')).toMatchObject([{ acked: 9 }])
  const all = z.array(z.object({ n: z.int(), attempts: z.int() })).parse(await seen())
  expect(new Set(all.filter(({ n }) => n >= 200).map(({ n }) => n))).toEqual(
    new Set([200, 201, 202, 203, 204, 300, 301, 302, 303]),
  )
})

test('data written by a worker survives kill -9', async () => {
  const { body } = await edge.call('F_COUNT_TICKS', '/')
  expect(body).toHaveLength(8)
})
