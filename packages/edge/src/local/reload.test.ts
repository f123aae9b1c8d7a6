import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { fail, StewardError } from '@steward/contract'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTestEdge, type TestEdge } from './testing/start-edge.ts'
import type { WorkerFiles } from './testing/worker-files.ts'

// Real processes are slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const ROWS = 40

/** Waits for the test's permission, then writes many rows to KV and D1. */
const storing = (version: number): WorkerFiles => ({
  code: `
const work = async (env, who) => {
  await env.FLOW_DB.exec('CREATE TABLE IF NOT EXISTS seen (who TEXT, version INTEGER)')
  if (who.startsWith('held')) await fetch(env.GATE + '/' + who)
  for (let row = 0; row < ${ROWS}; row += 1) {
    await env.FLOW_DB.prepare('INSERT INTO seen VALUES (?, ?)').bind(who, ${version}).run()
    await env.FLOW_STATE.put(who + row, 'x')
  }
}
export default {
  async fetch(request, env, context) {
    const [, verb, who] = new URL(request.url).pathname.split('/')
    if (verb === 'send') await env.ITEMS.send(who)
    if (verb === 'behind') context.waitUntil(work(env, who))
    if (verb === 'now') await work(env, who)
    if (verb !== 'seen') return Response.json({ version: ${version} })
    const { results } = await env.FLOW_DB.prepare('SELECT who, version, count(*) AS rows FROM seen GROUP BY who, version ORDER BY who').all()
    return Response.json(results)
  },
  async queue(batch, env) {
    for (const { body } of batch.messages) await work(env, body)
  },
}`,
  configuration: {
    d1_databases: [{ binding: 'FLOW_DB', database_id: 'test' }],
    kv_namespaces: [{ binding: 'FLOW_STATE', id: 'test' }],
    queues: {
      producers: [{ binding: 'ITEMS', queue: 'items' }],
      consumers: [{ queue: 'items', max_batch_timeout: 0 }],
    },
  },
})

const plain = (version: number): WorkerFiles => ({
  code: `export default {
  async fetch(request, env) {
    if (new URL(request.url).pathname === '/held') await fetch(env.GATE + '/held-action')
    return Response.json({ version: ${version} })
  },
}`,
})

/** Holds every request until the test releases it. */
const held = new Map<string, ServerResponse>()
const gate = createServer(({ url = '' }, response) => {
  held.set(url.slice(1), response)
  gate.emit('held')
})
const areHeld = async (count: number): Promise<void> => {
  while (held.size < count) await once(gate, 'held')
}
const letGo = (): void => {
  for (const response of held.values()) response.end('go')
  held.clear()
}

/** On a slow machine a warning says that flows wait. */
const isUnexpected = (line: string): boolean => !line.includes('still use the storage')

let running: TestEdge
beforeAll(async () => {
  await new Promise<void>((done) => gate.listen(0, '127.0.0.1', done))
  const address = gate.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  running = await startTestEdge({
    workers: { 'f-store-rows': storing(1), 'a-answer-plain': plain(1) },
    vars: { GATE: `http://127.0.0.1:${address.port}` },
    sandboxRunner: {
      start: async () => fail(new StewardError('sandbox_unavailable', { reason: 'not here' })),
    },
  })
})
afterAll(async () => {
  await running.stop()
  gate.close()
})

test('work from before a reload finishes with exclusive storage; nothing fails, nothing is lost', async () => {
  const { call, edge, write, warnings } = running
  const slow = call('f-store-rows', '/now/held-request')
  const action = call('a-answer-plain', '/held')
  expect(await call('f-store-rows', '/behind/held-work')).toEqual({
    status: 200,
    body: { version: 1 },
  })
  await call('f-store-rows', '/send/held-message')
  await areHeld(4)

  write('f-store-rows', storing(2))
  write('a-answer-plain', plain(2))
  expect((await edge.reload()).toSorted()).toEqual(['exec-a-answer-plain', 'exec-f-store-rows'])
  let arrived = 0
  const newcomers = Array.from({ length: 5 }, async (_, index) => {
    const answer = await call('f-store-rows', `/now/new-${index}`)
    arrived += 1
    return answer
  })
  // A worker without storage switches over at once.
  expect(await call('a-answer-plain', '/')).toEqual({ status: 200, body: { version: 2 } })
  expect(arrived).toBe(0)

  letGo()
  expect(await slow).toEqual({ status: 200, body: { version: 1 } })
  expect(await action).toEqual({ status: 200, body: { version: 1 } })
  const version2 = { status: 200, body: { version: 2 } }
  expect(await Promise.all(newcomers)).toEqual(newcomers.map(() => version2))
  expect(await call('f-store-rows', '/seen')).toEqual({
    status: 200,
    body: [
      { who: 'held-message', version: 1, rows: ROWS },
      { who: 'held-request', version: 1, rows: ROWS },
      { who: 'held-work', version: 1, rows: ROWS },
      ...newcomers.map((_, index) => ({ who: `new-${index}`, version: 2, rows: ROWS })),
    ],
  })
  expect(warnings.filter(isUnexpected)).toEqual([])
})

test('consecutive reloads during work lose none of it', async () => {
  const { call, edge, write, warnings } = running
  const calls: Promise<{ status: number }>[] = []
  const versions = [3, 4, 5]
  for (const version of versions) {
    calls.push(call('f-store-rows', `/now/request-${version}`))
    calls.push(call('f-store-rows', `/behind/work-${version}`))
    write('f-store-rows', storing(version))
    await edge.reload()
    calls.push(call('f-store-rows', `/now/newcomer-${version}`))
  }
  for (const { status } of await Promise.all(calls)) expect(status).toBe(200)
  const { body } = await call('f-store-rows', '/seen')
  expect(body).toEqual(
    expect.arrayContaining(
      versions.flatMap((version) => [
        { who: `request-${version}`, version: expect.any(Number), rows: ROWS },
        { who: `work-${version}`, version: expect.any(Number), rows: ROWS },
        { who: `newcomer-${version}`, version: expect.any(Number), rows: ROWS },
      ]),
    ),
  )
  expect(warnings.filter(isUnexpected)).toEqual([])
})
