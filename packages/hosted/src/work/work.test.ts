import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Anthropic, { ConflictError, NotFoundError, PreconditionFailedError } from '@anthropic-ai/sdk'
import { workItem, workSecret } from '@steward/contract'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { query } from '../database/tx.ts'
import { startTestApi, type TestApi } from '../serve/testing/start-test-api.ts'
import { makeSession, say, writeAs } from '../sessions/testing/make-session.ts'

let server: TestApi
let session: Anthropic.Beta.BetaManagedAgentsSession
let environment_id: string
let worker: Anthropic
beforeEach(async () => {
  server = await startTestApi()
  session = await makeSession(server, {}, { type: 'self_hosted' })
  environment_id = session.environment_id
  const key = await server.makeKey({ scope: 'environment', environmentId: environment_id })
  worker = server.clientWith(key)
})
afterEach(() => server.stop())

const poll = async () => {
  const work = await worker.beta.environments.work.poll(environment_id)
  return work ?? undefined
}
const take = async () => {
  const work = await poll()
  if (work === undefined) throw new Error('there is no work')
  return work
}
const beat = (id: string, expected_last_heartbeat: string) =>
  worker.beta.environments.work.heartbeat(id, { environment_id, expected_last_heartbeat })

test('a new session is queued once, with a token for that session only', async () => {
  const work = await take()
  expect(workItem.parse(work)).toMatchObject({
    state: 'queued',
    data: { type: 'session', id: session.id },
  })
  expect(await poll()).toBeUndefined()
  const decoded: unknown = JSON.parse(Buffer.from(work.secret ?? '', 'base64url').toString())
  const holder = server.clientWith(workSecret.parse(decoded).sessions_token)
  expect((await holder.beta.sessions.retrieve(session.id)).id).toBe(session.id)
  await holder.beta.sessions.events.send(session.id, { events: [say('as the worker')] })
  const other = await makeSession(server)
  await expect(holder.beta.sessions.retrieve(other.id)).rejects.toMatchObject({ status: 403 })
  await expect(worker.beta.sessions.retrieve(other.id)).rejects.toMatchObject({ status: 403 })
  await expect(holder.beta.agents.list()).rejects.toMatchObject({ status: 403 })
  const seen = await worker.beta.environments.work.retrieve(work.id, { environment_id })
  expect(seen.secret).toBeNull()
})

test('unacknowledged work is offered again, acknowledged work is not', async () => {
  const first = await take()
  server.clock.nowMs += 5000
  const again = await take()
  expect(again.id).toBe(first.id)
  const acked = await worker.beta.environments.work.ack(first.id, { environment_id })
  expect(acked).toMatchObject({ state: 'starting', acknowledged_at: expect.any(String) })
  server.clock.nowMs += 5000
  expect(await poll()).toBeUndefined()
})

test('a lease is kept with the last heartbeat and lost by silence', async () => {
  const { id } = await take()
  await worker.beta.environments.work.ack(id, { environment_id })
  const first = await beat(id, 'NO_HEARTBEAT')
  expect(first).toMatchObject({ lease_extended: true, state: 'active', ttl_seconds: 90 })
  const second = await beat(id, first.last_heartbeat)
  expect(second.last_heartbeat).not.toBe(first.last_heartbeat)
  const lost = await beat(id, first.last_heartbeat).catch((error: unknown) => error)
  expect(lost).toBeInstanceOf(PreconditionFailedError)
  expect(lost).toMatchObject({
    error: {
      error: {
        details: {
          error_code: 'heartbeat_precondition_failed',
          current_state: { state: 'active', last_heartbeat: second.last_heartbeat },
        },
      },
    },
  })
  server.clock.nowMs += 90_000
  expect((await take()).id).toBe(id)
  await expect(beat(id, second.last_heartbeat)).rejects.toBeInstanceOf(PreconditionFailedError)
})

test('a clock that is set back blocks neither offered nor leased work', async () => {
  const DAY_MS = 86_400_000
  const { id } = await take()
  server.clock.nowMs -= DAY_MS
  expect((await take()).id).toBe(id)
  await worker.beta.environments.work.ack(id, { environment_id })
  const { last_heartbeat } = await beat(id, 'NO_HEARTBEAT')
  // The clocks of two machines are never quite the same.
  server.clock.nowMs -= 1000
  expect(await poll()).toBeUndefined()
  server.clock.nowMs -= DAY_MS
  expect((await take()).id).toBe(id)
  await expect(beat(id, last_heartbeat)).rejects.toBeInstanceOf(PreconditionFailedError)
})

test('a heartbeat with a lost response can be retried', async () => {
  const { id } = await take()
  await worker.beta.environments.work.ack(id, { environment_id })
  const path = `/v1/environments/${environment_id}/work/${id}/heartbeat?expected_last_heartbeat=NO_HEARTBEAT`
  const attempt = async (count: string) => {
    const response = await fetch(`${server.address}${path}`, {
      method: 'POST',
      headers: {
        'x-api-key': server.key,
        'anthropic-beta': 'managed-agents-2026-04-01',
        'x-stainless-retry-count': count,
      },
    })
    return { status: response.status, body: await response.json() }
  }
  const first = await attempt('0')
  expect(await attempt('1')).toEqual(first)
  expect(first.status).toBe(200)
})

test('stops when asked, at once with force, and once', async () => {
  const { id } = await take()
  const { work } = worker.beta.environments
  await work.ack(id, { environment_id })
  await beat(id, 'NO_HEARTBEAT')
  expect(await work.stop(id, { environment_id })).toMatchObject({ state: 'stopping' })
  expect(await beat(id, 'whatever')).toMatchObject({ state: 'stopping', lease_extended: false })
  expect(await work.stop(id, { environment_id, force: true })).toMatchObject({ state: 'stopped' })
  const twice = work.stop(id, { environment_id, force: true })
  await expect(twice).rejects.toBeInstanceOf(ConflictError)
  await expect(work.ack(id, { environment_id })).rejects.toBeInstanceOf(ConflictError)
  // Input for a session without a worker queues it again.
  expect(await poll()).toBeUndefined()
  await server.client.beta.sessions.events.send(session.id, { events: [say('more')] })
  await server.client.beta.sessions.events.send(session.id, { events: [say('and more')] })
  expect((await take()).data.id).toBe(session.id)
  expect(await poll()).toBeUndefined()
})

test('a poll waits for new work', async () => {
  await take()
  const waiting = worker.beta.environments.work.poll(environment_id, { block_ms: 999 })
  const agent = session.agent.id
  const made = await server.client.beta.sessions.create({ agent, environment_id })
  expect((await waiting)?.data.id).toBe(made.id)
  expect(await worker.beta.environments.work.poll(environment_id, { block_ms: 1 })).toBeNull()
})

test('a waiting poll gets the work that a message creates', async () => {
  const waits = Promise.withResolvers<void>()
  const patient = await startTestApi({
    setTimer: () => {
      waits.resolve()
      return () => undefined
    },
  })
  const made = await makeSession(patient, {}, { type: 'self_hosted' })
  const { work } = patient.client.beta.environments
  const first = await work.poll(made.environment_id)
  await work.stop(first?.id ?? '', { environment_id: made.environment_id })
  const waiting = work.poll(made.environment_id, { block_ms: 999 })
  await waits.promise
  await patient.client.beta.sessions.events.send(made.id, { events: [say('go on')] })
  expect((await waiting)?.data.id).toBe(made.id)
  await patient.stop()
})

test('counts, lists and metadata', async () => {
  const { work } = worker.beta.environments
  await server.client.beta.sessions.create({ agent: session.agent.id, environment_id })
  const first = await work.poll(environment_id, { 'Anthropic-Worker-ID': 'w1' })
  expect(await work.stats(environment_id)).toEqual(
    expect.objectContaining({
      depth: 1,
      pending: 1,
      workers_polling: 1,
      oldest_queued_at: first?.created_at,
    }),
  )
  server.clock.nowMs += 30_000
  await work.poll(environment_id, { 'Anthropic-Worker-ID': 'w2' })
  expect((await work.stats(environment_id)).workers_polling).toBe(1)
  const pollers = await server.database.read(() => query('SELECT worker_id FROM pollers'))
  expect(pollers).toEqual([{ worker_id: 'w2' }])
  const noted = await work.update(first?.id ?? '', { environment_id, metadata: { host: 'a' } })
  expect(noted.metadata).toEqual({ host: 'a' })
  const listed: string[] = []
  for await (const item of work.list(environment_id, { limit: 1 })) listed.push(item.id)
  expect(listed).toHaveLength(2)
  await expect(work.retrieve('work_none', { environment_id })).rejects.toBeInstanceOf(NotFoundError)
})

test('finished work is kept for a week', async () => {
  const { work } = worker.beta.environments
  const stopNext = async () => {
    const { id } = await take()
    await work.stop(id, { environment_id, force: true })
    return id
  }
  const again = async () => {
    await server.client.beta.sessions.events.send(session.id, { events: [say('more')] })
    const { data } = await work.list(environment_id)
    return data.map(({ id }) => id)
  }
  const first = await stopNext()
  server.clock.nowMs += 7 * 86_400_000 - 1
  expect(await again()).toContain(first)
  const second = await stopNext()
  server.clock.nowMs += 1
  const left = await again()
  expect(left).toContain(second)
  expect(left).not.toContain(first)
})

test('the end of a session ends its work', async () => {
  const { id } = await take()
  await worker.beta.environments.work.ack(id, { environment_id })
  await beat(id, 'NO_HEARTBEAT')
  await server.client.beta.sessions.delete(session.id)
  expect(await beat(id, 'x')).toMatchObject({ state: 'stopped', lease_extended: false })
})

test("the client's own worker does a session's tool calls", { timeout: 60_000 }, async () => {
  const workdir = await mkdtemp(join(tmpdir(), 'steward-worker-'))
  const asked = await writeAs(server, session.id, {
    type: 'agent.tool_use',
    body: {
      name: 'bash',
      input: { command: 'echo made by the worker > made.txt && cat made.txt' },
      evaluated_permission: 'allow',
    },
  })
  await writeAs(server, session.id, {
    type: 'session.status_idle',
    body: { stop_reason: { type: 'requires_action', event_ids: [asked[0]?.id] } },
  })
  const stop = new AbortController()
  const key = await server.makeKey({ scope: 'environment', environmentId: environment_id })
  const running = new Anthropic({
    apiKey: 'unused',
    baseURL: server.address,
  }).beta.environments.work
    .worker({ environmentId: environment_id, environmentKey: key, workdir })
    .run(stop.signal)
  const events = server.client.beta.sessions.events
  await vi.waitFor(
    async () => {
      const { data } = await events.list(session.id, { types: ['user.tool_result'] })
      expect(data).toMatchObject([
        {
          tool_use_id: asked[0]?.id,
          content: [{ type: 'text', text: expect.stringContaining('made by the worker') }],
        },
      ])
    },
    { timeout: 30_000, interval: 50 },
  )
  expect(await readFile(join(workdir, 'made.txt'), 'utf8')).toBe('made by the worker\n')
  await writeAs(server, session.id, { type: 'session.status_terminated' })
  await vi.waitFor(
    async () => {
      const { data } = await server.client.beta.environments.work.list(environment_id)
      expect(data).toMatchObject([{ state: 'stopped' }])
    },
    { timeout: 30_000, interval: 50 },
  )
  stop.abort()
  await running
  await rm(workdir, { recursive: true })
  expect(server.failures).toEqual([])
})
