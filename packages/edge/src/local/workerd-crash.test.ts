import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { fail, StewardError } from '@steward/contract'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startTestEdge, type TestEdge } from './testing/start-edge.ts'
import type { WorkerFiles } from './testing/worker-files.ts'

// Real processes are slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

/** Stores the numbers of requests and messages; some work never ends by itself. */
const storing = (version: number): WorkerFiles => ({
  code: `
const store = async (env, n) => {
  await env.FLOW_DB.exec('CREATE TABLE IF NOT EXISTS seen (n TEXT PRIMARY KEY)')
  await env.FLOW_DB.prepare('INSERT OR IGNORE INTO seen VALUES (?)').bind(n).run()
}
const never = () => new Promise((resolve) => setTimeout(resolve, 3_600_000))
export default {
  async fetch(request, env, context) {
    const [, verb, n] = new URL(request.url).pathname.split('/')
    if (verb === 'store') await store(env, n)
    if (verb === 'send') await env.ITEMS.sendBatch(n.split(',').map((body) => ({ body })))
    if (verb === 'hang') { console.log('hanging'); await never() }
    if (verb === 'behind') context.waitUntil(never())
    if (verb === 'seen') {
      const { results } = await env.FLOW_DB.prepare('SELECT n FROM seen ORDER BY n').all()
      return Response.json(results.map(({ n }) => n))
    }
    return Response.json({ version: ${version} })
  },
  async queue(batch, env) {
    for (const { body, attempts } of batch.messages) {
      if (body === 'held' && attempts === 1) { console.log('held'); await never() }
      await store(env, 'message-' + body)
    }
  },
}`,
  configuration: {
    d1_databases: [{ binding: 'FLOW_DB', database_id: 'd', database_name: 'd' }],
    queues: {
      producers: [{ binding: 'ITEMS', queue: 'items' }],
      consumers: [{ queue: 'items', max_batch_timeout: 0, max_retries: 3 }],
    },
  },
})

const OWN: WorkerFiles = {
  code: `let calls = 0
export default {
  fetch: (request) => {
    if (request.url.endsWith('/count')) return Response.json({ calls })
    calls += 1
    return Response.json({ own: 'code' })
  },
}`,
  apart: true,
}
/** Calls the action as flows and pipelines do. */
const CALLER: WorkerFiles = {
  code: "export default { fetch: (request, env) => env.OWN.fetch(new Request('https://own/', request)) }",
  configuration: { services: [{ binding: 'OWN', service: 'exec-a-own-code' }] },
}

let running: TestEdge
beforeEach(async () => {
  running = await startTestEdge({
    workers: { 'f-store-rows': storing(1), 'f-call-own': CALLER, 'a-own-code': OWN },
    sandboxRunner: {
      start: async () => fail(new StewardError('sandbox_unavailable', { reason: 'not here' })),
    },
  })
})
afterEach(() => running.stop())

const RESTARTED = 'workerd ended unexpectedly and was restarted'

const until = async (isTrue: () => boolean): Promise<void> => {
  while (!isTrue()) await setImmediate()
}
const restarts = () => running.warnings.filter((each) => each.includes(RESTARTED)).length

const readPids = (): string[] =>
  readFileSync(join(running.stateFolder, 'workerd.pids'), 'utf8').trim().split('\n')
const killWorkerd = (): void => {
  process.kill(Number(readPids().at(-1)), 'SIGKILL')
}

test('a killed workerd is reported and restarted: nothing stored or queued is lost', async () => {
  const { call, warnings, lost } = running
  for (const n of ['a', 'b', 'c'])
    expect((await call('f-store-rows', `/store/${n}`)).status).toBe(200)
  expect((await call('f-store-rows', '/send/held,d,e')).status).toBe(200)
  const hanging = call('f-store-rows', '/hang')
  await until(() => warnings.some((each) => each.includes('held')))
  await until(() => warnings.some((each) => each.includes('hanging')))
  killWorkerd()
  expect(await hanging).toMatchObject({ status: 502, body: { code: 'upstream_failed' } })
  await until(() => restarts() === 1)
  expect(await call('f-store-rows', '/')).toEqual({ status: 200, body: { version: 1 } })
  let seen: unknown
  await vi.waitUntil(
    async () => {
      seen = (await call('f-store-rows', '/seen')).body
      return Array.isArray(seen) && seen.length === 6
    },
    { timeout: 60_000 },
  )
  expect(seen).toEqual(['a', 'b', 'c', 'message-d', 'message-e', 'message-held'])
  expect(lost).toEqual([])
})

test('a killed process of an action is replaced at its next call, also during its restart', async () => {
  const { call } = running
  const answer = { status: 200, body: { own: 'code' } }
  expect(await call('a-own-code', '/')).toEqual(answer)
  for (let kill = 0; kill < 3; kill++) {
    expect(await call('f-call-own', '/')).toEqual(answer)
    killWorkerd()
    // The call may arrive before the end of the process is noticed.
    await vi.waitUntil(async () => (await call('f-call-own', '/')).status === 200, {
      timeout: 60_000,
    })
  }
  expect(await call('a-own-code', '/')).toEqual(answer)
})

test('a restarted process of an action serves its next calls, so that none is cut off', async () => {
  const { call } = running
  const answer = { status: 200, body: { own: 'code' } }
  expect(await call('f-call-own', '/')).toEqual(answer)
  killWorkerd()
  await until(() => restarts() === 1)
  const started = readPids()
  expect(await call('f-call-own', '/')).toEqual(answer)
  expect(readPids()).toEqual(started)
})

test('a call that waits for its process is not made if its caller has died', async () => {
  const { call, stateFolder } = running
  const launcher = join(stateFolder, 'workerd.sh')
  const held = join(stateFolder, 'held')
  writeFileSync(held, '')
  const script = readFileSync(launcher, 'utf8')
  const wait = `while [ -e '${held}' ]; do sleep 0.05; done`
  writeFileSync(launcher, script.replace('\nexec', `\n${wait}\nexec`))
  const before = readPids()
  const calling = call('f-call-own', '/')
  await until(() => readPids().length === before.length + 1)
  process.kill(Number(before.at(-1)), 'SIGKILL')
  expect(await calling).toMatchObject({ status: 502 })
  await until(() => readPids().length === before.length + 2)
  rmSync(held)
  await until(() => restarts() === 1)
  expect(await call('a-own-code', '/count')).toEqual({ status: 200, body: { calls: 0 } })
})

test('background work that died with workerd holds up no later reload', async () => {
  const { call, edge, write } = running
  expect((await call('f-store-rows', '/behind')).status).toBe(200)
  killWorkerd()
  await until(() => restarts() === 1)
  write('f-store-rows', storing(2))
  await edge.reload()
  expect(await call('f-store-rows', '/')).toEqual({ status: 200, body: { version: 2 } })
})

test('a workerd that also dies while it restarts is started again', async () => {
  const { call, stateFolder, warnings, lost } = running
  expect((await call('f-store-rows', '/store/a')).status).toBe(200)
  expect((await call('f-store-rows', '/behind')).status).toBe(200)
  const launcher = join(stateFolder, 'workerd.sh')
  const died = join(stateFolder, 'died-once')
  const script = readFileSync(launcher, 'utf8')
  const dieOnce = `if [ ! -e '${died}' ]; then cat > /dev/null; touch '${died}'; exit 1; fi`
  writeFileSync(launcher, script.replace('\n', `\n${dieOnce}\n`))
  killWorkerd()
  await until(() => warnings.some((each) => each.includes('trying again (1 of 3)')))
  await until(() => warnings.includes('workerd was restarted'))
  expect((await call('f-store-rows', '/store/b')).status).toBe(200)
  expect((await call('f-store-rows', '/seen')).body).toEqual(['a', 'b'])
  expect(lost).toEqual([])
})

test('a workerd that cannot be restarted is reported with the reason', async () => {
  const { stateFolder, lost } = running
  const launcher = join(stateFolder, 'workerd.sh')
  expect(existsSync(launcher)).toBe(true)
  writeFileSync(launcher, '#!/bin/sh\ncat > /dev/null\necho "no memory left" >&2\nexit 1\n', {
    mode: 0o700,
  })
  killWorkerd()
  await until(() => lost.length === 1)
  expect(lost).toMatchObject([{ code: 'workerd_lost' }])
  expect(lost[0]?.message).toContain('no memory left')
})
