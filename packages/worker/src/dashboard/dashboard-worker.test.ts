import { createServer } from 'node:http'
import type { ObservabilityTarget, StewardEvent } from '@steward/contract'
import {
  createEnvironment,
  createRedactor,
  pushEventsToTargets,
  pushWorkState,
} from '@steward/platform'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type RunningWorkers,
  START_LIMIT_MS,
  startWorkers,
  TOKEN,
} from '../../../edge/src/local/testing/start-workers.ts'
import { mergeEvents } from './create-dashboard-worker.ts'

const NAME = 'exec-dashboard'
const OTHER = 'exec-dashboard-kv'
let workers: RunningWorkers

beforeAll(async () => {
  const entry = 'export default edge.createDashboardWorker()'
  workers = await startWorkers([
    { name: NAME, entry, options: { kvNamespaces: ['DASHBOARD'] } },
    { name: OTHER, entry, options: { kvNamespaces: { DASHBOARD: 'other' } } },
    { name: 'unbound', entry },
  ])
}, START_LIMIT_MS)
afterAll(() => workers.stop())

const event = (second: number, more: Record<string, unknown> = {}): StewardEvent => ({
  timestamp: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString(),
  session_id: 's1',
  source: 'tool-activity',
  type: 'tool_use',
  ...more,
})

const send = async (path: string, body: unknown, worker = NAME) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await workers.call(worker, path, { method: 'POST', body: text })
  return { status: response.status, body: await response.json() }
}
const get = async (path: string, worker = NAME) => {
  const response = await workers.call(worker, path)
  return { status: response.status, body: await response.json() }
}

const ports = (environment: Record<string, string>) => ({
  fetch: (address: string, init: RequestInit) => fetch(address, init),
  now: () => 0,
  abortAfter: (delayMs: number) => AbortSignal.timeout(delayMs),
  environment: createEnvironment(environment, {}),
  redactor: createRedactor({}),
})

/** Forwards loopback requests to a worker, as the platform would. */
const openFront = async (answer: (request: Request) => Promise<Response>) => {
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const { method = 'GET', headers } = incoming
    const init = {
      method,
      headers: { authorization: headers.authorization ?? '' },
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
    }
    const response = await answer(new Request(`http://front${incoming.url}`, init))
    outgoing.writeHead(response.status).end(Buffer.from(await response.arrayBuffer()))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const close = () => new Promise((resolve) => server.close(resolve))
  return { url: `http://127.0.0.1:${address.port}`, close }
}

describe('the dashboard worker', () => {
  it('requires the token, except for its health', async () => {
    const paths = ['/api/events/recent', '/api/observability/state', '/api/observability/events']
    for (const path of [...paths, '/', '/nothing']) {
      for (const method of ['GET', 'POST']) {
        for (const token of [null, 'x', TOKEN.slice(1)]) {
          const response = await workers.call(NAME, path, { method, token })
          expect([path, method, token, response.status]).toEqual([path, method, token, 401])
        }
      }
    }
    const health = await workers.call(NAME, '/health', { token: null })
    expect(await health.json()).toEqual({
      status: 'ok',
      dashboard: 'DASHBOARD',
      timestamp: expect.any(String),
    })
  })

  it('has valid empty states', async () => {
    expect(await get('/api/events/recent', OTHER)).toEqual({ status: 200, body: { events: [] } })
    expect(await get('/api/observability/state', OTHER)).toEqual({
      status: 200,
      body: { sessions: {}, source: 'push', receivedAt: null },
    })
  })

  it('serves what our own transport pushes', async () => {
    const front = await openFront(async (request) => {
      const { pathname } = new URL(request.url)
      const { method, headers } = request
      return workers.call(NAME, pathname, { method, headers, body: await request.text() })
    })
    try {
      const target: ObservabilityTarget = {
        name: 'remote',
        type: 'http',
        url: front.url,
        headers: { authorization: 'Bearer ${DASHBOARD_TOKEN}' },
      }
      const given = ports({ DASHBOARD_TOKEN: TOKEN })
      const events = [event(3, { tool_name: 'Bash' }), event(2), event(1)]
      const state = { sessions: { one: { task: 'a', phase: 'build', unknown: { kept: true } } } }
      expect(await pushEventsToTargets(events, [target], given)).toMatchObject([{ ok: true }])
      expect(await pushWorkState(state, [target], given)).toMatchObject([{ ok: true }])
      expect(await get('/api/events/recent')).toEqual({ status: 200, body: { events } })
      expect(await get('/api/observability/state')).toEqual({
        status: 200,
        body: { ...state, source: 'push', receivedAt: expect.any(String) },
      })
      const [refused] = await pushEventsToTargets(
        events,
        [target],
        ports({ DASHBOARD_TOKEN: 'no' }),
      )
      expect(refused).toMatchObject({ ok: false, status: 401 })
    } finally {
      await front.close()
    }
  })

  it('serves what an edge-kv target writes into its namespace', async () => {
    const key = /^\/client\/v4\/accounts\/a1\/storage\/kv\/namespaces\/n1\/values\/(.+)$/
    const front = await openFront(async (request) => {
      const name = key.exec(new URL(request.url).pathname)?.[1]
      if (name === undefined || request.method !== 'PUT') return new Response(null, { status: 404 })
      expect(request.headers.get('authorization')).toBe('Bearer edit-token')
      await workers.ask(OTHER, 'kv', 'DASHBOARD', 'put', name, await request.text())
      return Response.json({ success: true })
    })
    try {
      const target: ObservabilityTarget = {
        name: 'kv',
        type: 'edge-kv',
        url: `${front.url}/client/v4`,
      }
      const given = ports({
        EDGE_API_TOKEN_WORKERS_EDIT: 'edit-token',
        EDGE_ACCOUNT_ID: 'a1',
        EDGE_KV_NAMESPACE_ID: 'n1',
      })
      await pushEventsToTargets([event(2), event(1)], [target], given)
      await pushWorkState({ sessions: { x: { task: 'y' } } }, [target], given)
    } finally {
      await front.close()
    }
    expect(await get('/api/events/recent', OTHER)).toMatchObject({
      body: { events: [event(2), event(1)] },
    })
    expect(await get('/api/observability/state', OTHER)).toMatchObject({
      body: { sessions: { x: { task: 'y' } }, receivedAt: null },
    })
  })

  it('accepts one event and {events} too, counts invalid ones, and deduplicates', async () => {
    await workers.ask(NAME, 'kv', 'DASHBOARD', 'delete', 'sync:events')
    expect(await send('/api/observability/events', event(5))).toEqual({
      status: 200,
      body: { ok: true, accepted: 1, rejected: 0 },
    })
    expect(
      await send('/api/observability/events', { events: [event(5), event(6), 7, { a: 1 }, null] }),
    ).toEqual({ status: 200, body: { ok: true, accepted: 2, rejected: 3 } })
    expect(await get('/api/events/recent')).toMatchObject({
      body: { events: [event(6), event(5)] },
    })
  })

  it('refuses with a reason', async () => {
    const many = Array.from({ length: 201 }, (_, index) => event(index))
    expect(await send('/api/observability/events', many)).toMatchObject({
      status: 400,
      body: { error: 'the pushed events: at most 200 at a time, found 201' },
    })
    expect(await send('/api/observability/events', '"x"')).toMatchObject({ status: 400 })
    expect(await send('/api/observability/events', '{')).toMatchObject({
      status: 400,
      body: { code: 'invalid_json' },
    })
    expect(await send('/api/observability/state', '[]')).toMatchObject({ status: 400 })
    expect(await send('/nothing', {})).toMatchObject({ status: 404 })
    expect(await send('/api/events/recent', {})).toMatchObject({ status: 405 })
    expect(await get('/api/events/recent', 'unbound')).toMatchObject({
      status: 502,
      body: { code: 'binding_missing' },
    })
  })

  it('reports an invalid stored value until the next push', async () => {
    await workers.ask(OTHER, 'kv', 'DASHBOARD', 'put', 'sync:work_state', '{"sessions"')
    expect(await get('/api/observability/state', OTHER)).toMatchObject({
      status: 502,
      body: { code: 'upstream_failed' },
    })
    await send('/api/observability/state', { sessions: {} }, OTHER)
    expect(await get('/api/observability/state', OTHER)).toMatchObject({ status: 200 })
  })
})

describe('mergeEvents', () => {
  it('is newest first, deduplicated, at most 200, for any input', () => {
    const any = fc.record({
      timestamp: fc.oneof(
        fc.integer({ min: 0, max: 50 }).map((second) => event(second).timestamp),
        fc.string(),
      ),
      session_id: fc.constantFrom('a', 'b', 'a|b'),
      source: fc.constantFrom('tool-activity' as const, 'voice' as const),
      type: fc.constantFrom('x', 'b|x'),
    })
    fc.assert(
      fc.property(fc.array(any, { maxLength: 300 }), fc.array(any), (first, second) => {
        const merged = mergeEvents(first, second)
        const keys = merged.map((each) => JSON.stringify(each))
        expect(new Set(keys).size).toBe(keys.length)
        expect(merged.length).toBeLessThanOrEqual(200)
        const times = merged.map(({ timestamp }) => {
          const time = Date.parse(timestamp)
          return Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time
        })
        expect(times).toEqual(times.toSorted((a, b) => b - a))
      }),
    )
  })
})
