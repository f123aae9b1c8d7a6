import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { ObservabilityTarget, StewardEvent } from '@steward/contract'
import { LIMITS, workState } from '@steward/contract'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createEnvironment } from '../home/environment.ts'
import { createRedactor } from '../redaction/redactor.ts'
import { HELD_BACK_TEXTS, missedRates } from '../redaction/testing/held-back-rates.ts'
import { findLeaks, SINK_CASES } from '../redaction/testing/secret-forms.ts'
import { expandVariables } from './expand-variables.ts'
import { pushEventsToTargets } from './push-events.ts'
import type { TransportPorts } from './push-to-targets.ts'
import { pushWorkState } from './push-work-state.ts'

interface Received {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: unknown
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void

let servers: Server[]
beforeEach(() => {
  servers = []
})
afterEach(async () => {
  for (const server of servers) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

/** A target on loopback that records what it receives. */
const openTarget = async (answer: Answer = (_, response) => response.end('{}')) => {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of request) chunks.push(chunk)
    received.push({
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: JSON.parse(Buffer.concat(chunks).toString('utf8')),
    })
    answer(request, response)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { url: `http://127.0.0.1:${address.port}`, received }
}

const ports = (environment: Record<string, string> = {}, more: Partial<TransportPorts> = {}) => ({
  fetch: (address: string, init: RequestInit) => fetch(address, init),
  now: () => 0,
  abortAfter: () => new AbortController().signal,
  environment: createEnvironment(environment, {}),
  redactor: createRedactor({}),
  ...more,
})

const event = (number: number, more: Record<string, unknown> = {}): StewardEvent => ({
  timestamp: new Date(number * 1000).toISOString(),
  session_id: 's1',
  source: 'tool-activity',
  type: 'tool_use',
  number,
  ...more,
})

const http = (
  name: string,
  url: string,
  headers?: Record<string, string>,
): ObservabilityTarget => ({
  name,
  type: 'http',
  url,
  ...(headers === undefined ? {} : { headers }),
})

describe('an http target', () => {
  it('gets a JSON array of events and the whole work state, with its headers', async () => {
    const { url, received } = await openTarget()
    const target = http('home', `${url}/base/`, { Authorization: 'Bearer ${DASHBOARD_TOKEN}' })
    const given = ports({ DASHBOARD_TOKEN: 'abcdefgh-token' })
    const events = [event(2), event(1)]
    expect(await pushEventsToTargets(events, [target], given)).toEqual([
      { target: 'home', type: 'http', ok: true, status: 200, durationMs: 0 },
    ])
    await pushWorkState({ sessions: { a: { task: 'x', strange: [1] } } }, [target], given)
    expect(received).toMatchObject([
      { method: 'POST', path: '/base/api/observability/events', body: events },
      {
        method: 'POST',
        path: '/base/api/observability/state',
        body: { sessions: { a: { task: 'x', strange: [1] } } },
      },
    ])
    for (const { headers } of received) {
      expect(headers).toMatchObject({
        authorization: 'Bearer abcdefgh-token',
        'content-type': 'application/json',
      })
    }
  })

  it('is not sent a variable that is missing, and the others are', async () => {
    const { url, received } = await openTarget()
    const targets = [http('one', url, { 'X-Key': '${NOT_SET}' }), http('two', url)]
    const [one, two] = await pushEventsToTargets([event(1)], targets, ports({ NOT_SET: '' }))
    expect(one?.ok).toBe(false)
    expect(one?.error?.message).toBe(
      'header X-Key of the target one is not configured: NOT_SET is not set: put it into .env in the data home, or export it',
    )
    expect(two?.ok).toBe(true)
    expect(received).toHaveLength(1)
    expect(received[0]?.headers).not.toHaveProperty('x-key')
  })

  it('never follows a redirect', async () => {
    const thief = await openTarget()
    const { url } = await openTarget((_, response) => {
      response.writeHead(307, { location: thief.url }).end()
    })
    const target = http('moved', url, { authorization: 'Bearer ${KEY}' })
    const [outcome] = await pushEventsToTargets(
      [event(1)],
      [target],
      ports({ KEY: 'k'.repeat(20) }),
    )
    expect(outcome).toMatchObject({ ok: false, status: 307 })
    expect(outcome?.error?.message).toContain('a redirect, which is not followed')
    expect(thief.received).toEqual([])
  })

  it('has its status checked, with Retry-After', async () => {
    const { url } = await openTarget((_, response) => {
      response.writeHead(429, { 'retry-after': '7' }).end()
    })
    const [outcome] = await pushEventsToTargets([event(1)], [http('busy', url)], ports())
    expect(outcome).toMatchObject({
      ok: false,
      status: 429,
      retryAfterMs: 7000,
      error: { code: 'rate_limited' },
    })
  })

  it('that hangs costs its time-out and holds up no other', async () => {
    const hanging = await openTarget(() => undefined)
    const quick = await openTarget()
    const limits: number[] = []
    const stop = new AbortController()
    const abortAfter = (delayMs: number) => {
      limits.push(delayMs)
      return stop.signal
    }
    const targets = [http('hanging', hanging.url), http('quick', quick.url)]
    const pushed = pushEventsToTargets([event(1)], targets, ports({}, { abortAfter }))
    await expect.poll(() => [hanging.received.length, quick.received.length]).toEqual([1, 1])
    stop.abort()
    const [outcome] = await pushed
    expect(limits).toEqual([5000, 5000])
    expect(outcome?.error).toMatchObject({
      code: 'timeout',
      message: 'pushing events to hanging took longer than 5000 ms',
    })
  })

  it('that is unreachable is reported', async () => {
    const { url } = await openTarget()
    const server = servers.pop()
    await new Promise((resolve) => server?.close(resolve))
    const [outcome] = await pushEventsToTargets([event(1)], [http('gone', url)], ports())
    expect(outcome?.error).toMatchObject({ code: 'upstream_failed' })
    expect(outcome?.error?.message).toContain('nothing listens there (ECONNREFUSED)')
  })

  it('shows no credential in any error', async () => {
    const secret = 'hunter2-hunter2'
    const echo = await openTarget((request, response) => {
      response.writeHead(500).end(String(request.headers['x-key']))
    })
    const targets = [
      http('echo', echo.url, { 'x-key': '${KEY}' }),
      http('bad', echo.url, { 'x-key': '${BAD}' }),
      http('in url', `http://user:${secret}@127.0.0.1:1/`),
      http('closed', `http://127.0.0.1:1/?key=${secret}`, { 'x-key': '${KEY}' }),
      { name: 'kv', type: 'edge-kv', url: `${echo.url}/${secret}` } as const,
    ]
    const environment = { KEY: secret, BAD: `${secret}\nx: y`, EDGE_API_TOKEN: `${secret}\n\u0001` }
    const outcomes = await pushEventsToTargets([event(1)], targets, ports(environment))
    expect(outcomes.map(({ ok }) => ok)).toEqual([false, false, false, false, false])
    for (const { error } of outcomes) {
      const all = `${error?.message} ${error?.stack} ${String(error?.cause)} ${JSON.stringify(error?.details)}`
      expect(all).not.toContain(secret)
    }
  })
})

describe('an edge-kv target', () => {
  const account = { EDGE_ACCOUNT_ID: 'acc1', EDGE_KV_NAMESPACE_ID: 'ns1' }

  it('gets its key put, with the token that comes first', async () => {
    const { url, received } = await openTarget()
    const target = { name: 'kv', type: 'edge-kv', url: `${url}/client/v4` } as const
    const both = { EDGE_API_TOKEN_WORKERS_EDIT: 'edit-token', EDGE_API_TOKEN: 'plain-token' }
    await pushEventsToTargets([event(1)], [target], ports({ ...account, ...both }))
    await pushWorkState(
      { sessions: {} },
      [target],
      ports({ ...account, EDGE_API_TOKEN: 'plain-token' }),
    )
    const keys = '/client/v4/accounts/acc1/storage/kv/namespaces/ns1/values'
    expect(received).toMatchObject([
      { method: 'PUT', path: `${keys}/sync:events`, body: [event(1)] },
      { method: 'PUT', path: `${keys}/sync:work_state`, body: { sessions: {} } },
    ])
    expect(received.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer edit-token',
      'Bearer plain-token',
    ])
  })

  it.each([
    ['the process, first name', { EDGE_API_TOKEN_WORKERS_EDIT: 'p1' }, 'p1'],
    ['the file, first name, before the process, second name', { EDGE_API_TOKEN: 'p2' }, 'f1'],
  ])('takes its token from %s', async (_, process, expected) => {
    const { url, received } = await openTarget()
    const target = { name: 'kv', type: 'edge-kv', url } as const
    const file = { ...account, EDGE_API_TOKEN_WORKERS_EDIT: 'f1', EDGE_API_TOKEN: 'f2' }
    const environment = createEnvironment(process, file)
    await pushEventsToTargets([event(1)], [target], ports({}, { environment }))
    expect(received[0]?.headers.authorization).toBe(`Bearer ${expected}`)
  })

  it('accepts a whole namespace address, and waits 8 seconds', async () => {
    const { url, received } = await openTarget()
    const namespace = `${url}/client/v4/accounts/a/storage/kv/namespaces/n`
    const target = { name: 'kv', type: 'edge-kv', url: `${namespace}/values/other` } as const
    const limits: number[] = []
    const abortAfter = (delayMs: number) => {
      limits.push(delayMs)
      return new AbortController().signal
    }
    const given = ports({ EDGE_API_TOKEN: 'token' }, { abortAfter })
    await pushEventsToTargets([event(1)], [target], given)
    expect(received[0]?.path).toBe(
      '/client/v4/accounts/a/storage/kv/namespaces/n/values/sync:events',
    )
    expect(limits).toEqual([8000])
  })

  it.each([
    [{}, 'set EDGE_API_TOKEN_WORKERS_EDIT or EDGE_API_TOKEN in .env'],
    [{ EDGE_API_TOKEN: 't' }, 'set EDGE_ACCOUNT_ID or CLOUDFLARE_ACCOUNT_ID in .env'],
    [{ EDGE_API_TOKEN: 't', CLOUDFLARE_ACCOUNT_ID: 'a' }, 'set EDGE_KV_NAMESPACE_ID in .env'],
  ])('says what is missing of %j', async (environment, reason) => {
    const target = { name: 'kv', type: 'edge-kv' } as const
    const [outcome] = await pushEventsToTargets([event(1)], [target], ports(environment))
    expect(outcome?.error?.code).toBe('not_configured')
    expect(outcome?.error?.message).toContain(reason)
  })
})

describe('the pushed data', () => {
  it('contains no secret of the data home, nor a credential of another target', async () => {
    const { url, received } = await openTarget()
    const targets = [http('a', url), http('b', url, { key: '${DASH}' })]
    const environment = { DASH: 'dash-credential' }
    const redactor = createRedactor({ LLM_API_KEY: 'sk-verysecret' })
    const row = event(1, { tool_input_preview: 'curl -H sk-verysecret dash-credential' })
    await pushEventsToTargets([row], targets, ports(environment, { redactor }))
    await pushWorkState(
      { sessions: { x: { task: 'use sk-verysecret' } } },
      targets,
      ports(environment, { redactor }),
    )
    expect(received).toHaveLength(4)
    for (const { body } of received) {
      expect(JSON.stringify(body)).not.toMatch(/verysecret|dash-credential/)
      expect(JSON.stringify(body)).toContain('[redacted:LLM_API_KEY]')
    }
  })

  it('is at most 200 events and 8 MB, and reports what was left out', async () => {
    const { url, received } = await openTarget()
    const many = Array.from({ length: 250 }, (_, index) => event(250 - index))
    await pushEventsToTargets(many, [http('a', url)], ports())
    expect(received[0]?.body).toEqual(many.slice(0, 200))

    const large = Array.from({ length: 40 }, (_, index) =>
      event(40 - index, { text: 'é'.repeat(128 * 1024) }),
    )
    const [outcome] = await pushEventsToTargets(large, [http('a', url)], ports())
    const body = received[1]?.body
    const kept = Array.isArray(body) ? body.length : 0
    expect(outcome).toMatchObject({ ok: true, leftOut: 40 - kept })
    expect(kept).toBe(31)
    expect(JSON.stringify(body).length * 2).toBeLessThan(LIMITS.daemonPushBytes * 1.01)
  })
})

describe('expandVariables', () => {
  it('expands every ${NAME} that it was given', () => {
    const name = fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,8}$/)
    const value = fc.stringMatching(/^[a-z0-9 ]{1,20}$/)
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value), { minLength: 1 }), (pairs) => {
        const environment = createEnvironment(Object.fromEntries(pairs), {})
        const text = pairs.map(([key]) => `<\${${key}}>`).join(' ')
        const expanded = expandVariables(text, environment, 'x')
        if (!expanded.ok) throw expanded.error
        expect(expanded.value.text).toBe(pairs.map(([key]) => `<${environment[key]}>`).join(' '))
      }),
    )
  })

  it('ignores text that only looks like a variable', () => {
    const result = expandVariables('${toString}', createEnvironment({}, {}), 'x')
    expect(result.ok).toBe(false)
    expect(expandVariables('$HOME $(x) ${}', createEnvironment({}, {}), 'x')).toMatchObject({
      value: { text: '$HOME $(x) ${}' },
    })
  })
})

it('sends no form of a secret, even from rows of other writers', async () => {
  const { url, received } = await openTarget()
  const rows = SINK_CASES.map(({ text }, index) =>
    event(index + 1, {
      tool_input_preview: JSON.stringify({ command: text }),
      ground_truth: { command: text },
    }),
  )
  const sessions = Object.fromEntries(SINK_CASES.map(({ text }, at) => [`s${at}`, { task: text }]))
  await pushEventsToTargets(rows, [http('a', url)], ports())
  await pushWorkState({ sessions }, [http('a', url)], ports())
  expect(received).toHaveLength(2)
  for (const { body } of received) expect(findLeaks(JSON.stringify(body))).toEqual([])
})

it('sends the held-back texts with the required rates', async () => {
  const { url, received } = await openTarget()
  const rows = HELD_BACK_TEXTS.map((text, index) =>
    event(index + 1, { tool_input_preview: JSON.stringify({ command: text }), error: text }),
  )
  for (let from = 0; from < rows.length; from += LIMITS.mergedEvents) {
    const part = rows.slice(from, from + LIMITS.mergedEvents)
    await pushEventsToTargets(part, [http('a', url)], ports())
  }
  const pushed = received.splice(0).flatMap(({ body }) => (Array.isArray(body) ? body : []))
  expect(missedRates(pushed.map((row) => JSON.stringify(row)))).toEqual([])
  const sessions = Object.fromEntries(HELD_BACK_TEXTS.map((task, at) => [`s${at}`, { task }]))
  await pushWorkState({ sessions }, [http('a', url)], ports())
  const state = workState.parse(received[0]?.body)
  expect(missedRates(Object.values(state.sessions).map((each) => JSON.stringify(each)))).toEqual([])
})
