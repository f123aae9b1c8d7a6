import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { promisify } from 'node:util'
import { defineRoute, LIMITS, StewardError } from '@steward/contract'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { eventStream } from '../../../http/src/event-stream.ts'
import { SERVER_LIMITS } from '../../../http/src/listen.ts'
import { createStreamCount } from '../../../http/src/stream-count.ts'
import { type Handler, handle } from '../module.ts'
import { rawRequest, sendRaw, statusOf } from './testing/raw-request.ts'
import { startTestServer, TEST_TOKEN } from './testing/test-server.ts'

const route = {
  summary: 'x',
  access: 'local',
  why: 'x',
  answer: z.unknown(),
} as const
const read = defineRoute({
  ...route,
  method: 'GET',
  path: '/api/things/:id',
  params: z.object({ id: z.string().max(40) }),
  query: z.object({ limit: z.coerce.number().int().default(5) }),
})
const write = defineRoute({
  ...route,
  method: 'POST',
  path: '/api/things',
  body: z.strictObject({ name: z.string() }),
  status: 202,
})
const spoken = defineRoute({ ...write, path: '/notify', statusInErrors: true })
const guarded = defineRoute({ ...write, path: '/api/guarded', access: 'token', perMinute: 3 })
const open = defineRoute({ ...route, method: 'GET', path: '/api/open', access: 'public' })
const broken = defineRoute({ ...route, method: 'GET', path: '/api/broken' })
const feed = defineRoute({ ...route, method: 'GET', path: '/api/feed', answer: 'event-stream' })

const handlers: Handler[] = [
  handle(read, ({ params, query }) => ({ ...params, ...query })),
  handle(write, ({ body }) => body),
  handle(guarded, ({ body }) => body),
  handle(spoken, ({ body }) => body),
  handle(open, () => ({ open: true })),
  handle(broken, () => {
    throw new Error('secret details in /data/home/x')
  }),
  handle(feed, (_, call) =>
    eventStream(call, (sink) => {
      sink.send({ id: '1', data: 'hello' })
      return () => undefined
    }),
  ),
]

it('logs nothing for a client that polls before the first prompt', async () => {
  const missing = new StewardError('work_state_missing', { path: '/data/home/work.json' })
  const { fetch, lines } = await start([handle(broken, () => Promise.reject(missing))])
  expect((await fetch('/api/broken')).status).toBe(503)
  expect(lines).toEqual([])
})

/** An account that every Linux has and that we are not. */
const NOBODY = 65_534
const run = promisify(execFile)

const stops: (() => Promise<void>)[] = []
const start = async (...given: Parameters<typeof startTestServer> | []) => {
  const [own = handlers, options] = given
  const test = await startTestServer(own, options)
  stops.push(() => test.server.stop(0))
  return test
}
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

const post = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

describe('a route', () => {
  it('gets its input parsed and answers JSON that is neither cached nor framed', async () => {
    const { fetch } = await start()
    const response = await fetch('/api/things/a%20b?limit=7')
    expect(await response.json()).toEqual({ id: 'a b', limit: 7 })
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
    })
  })

  it('answers with its own status', async () => {
    const { fetch } = await start()
    expect((await fetch('/api/things', post({ name: 'x' }))).status).toBe(202)
  })

  it('names the field of a mistake', async () => {
    const { fetch } = await start()
    const response = await fetch('/api/things', post({ name: 7 }))
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'invalid_input', field: 'name' })
    expect((await fetch('/api/things/a?limit=x')).status).toBe(400)
  })

  it('whose path does not match is not found', async () => {
    const { fetch } = await start()
    const response = await fetch(`/api/things/${'a'.repeat(41)}`)
    expect(response.status).toBe(404)
  })

  it.each([
    ['text that is no JSON', '{'],
    ['nothing', ''],
    ['deep nesting', '['.repeat(500_000)],
    ['bytes that are no UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
  ])('refuses %s with 400', async (_, body) => {
    const { fetch } = await start()
    const response = await fetch('/api/things', { ...post({}), body })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ success: false, code: 'invalid_json' })
  })

  it('whose clients read status and message finds them in every refusal, including early ones', async () => {
    const { fetch, server } = await start()
    const sized = { ...post({}), body: `"${'x'.repeat(LIMITS.daemonBodyBytes)}"` }
    const answers = await Promise.all([
      fetch('/notify?x=1', { method: 'POST', body: 'text' }),
      fetch('/notify', post({}, { origin: 'http://evil.example' })),
      fetch('/notify', post({})),
      fetch('/notify', sized),
    ])
    expect(answers.map(({ status }) => status)).toEqual([415, 403, 400, 413])
    for (const answer of answers) {
      const body = z
        .object({ error: z.string() })
        .loose()
        .parse(await answer.json())
      expect(body).toMatchObject({ success: false, status: 'error', message: body.error })
    }
    const headers = { host: 'evil.example', 'content-type': 'application/json' }
    const foreign = rawRequest({ method: 'POST', target: '/notify', headers, body: '{}' })
    expect(await sendRaw(server.port, foreign)).toContain('"status":"error"')
    const other = await fetch('/api/things', { method: 'POST', body: 'text' })
    expect(await other.json()).not.toHaveProperty('status')
  })

  it('that throws is logged, and the caller gets no details', async () => {
    const { fetch, lines } = await start()
    const response = await fetch('/api/broken')
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('/data/home')
    expect(lines.join()).toContain('failed GET /api/broken: 500 internal: internal error: secret')
  })

  it('of a module that does not run answers 503', async () => {
    const { fetch } = await start([], {
      served: handlers.map((handler) => ({
        handler,
        checkRunning: () => {
          throw new StewardError('module_failed', { module: 'things', reason: 'no disk' })
        },
      })),
    })
    const response = await fetch('/api/things/1')
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ code: 'module_failed' })
  })
})

describe('methods', () => {
  it('that a path does not have get 405 with those that it has', async () => {
    const { fetch } = await start()
    const response = await fetch('/api/things', { method: 'GET' })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('POST, OPTIONS')
  })

  it('HEAD has no body; OPTIONS lists the methods and allows no other origin', async () => {
    const { fetch } = await start()
    const head = await fetch('/api/open', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect((await fetch('/api/feed', { method: 'HEAD' })).status).toBe(405)
    const options = await fetch('/api/open', { method: 'OPTIONS' })
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS'])
    expect(options.headers.get('access-control-allow-origin')).toBeNull()
  })

  it.each(['/api/nothing', '/assistant/nothing', '/hooks/nothing', '/api'])(
    'of an unknown path %s get 404 as JSON',
    async (path) => {
      const { fetch } = await start()
      const response = await fetch(path)
      expect([response.status, await response.json()]).toMatchObject([404, { code: 'not_found' }])
    },
  )

  it('of other paths are the dashboard', async () => {
    const { fetch } = await start()
    expect(await (await fetch('/agents')).text()).toBe('page /agents')
    expect((await fetch('/agents', post({}))).status).toBe(405)
  })
})

describe('access', () => {
  const guardedStatus = async (headers: Record<string, string>, mode?: 'strict') => {
    const { fetch } = await start(handlers, mode === undefined ? {} : { mode })
    return (await fetch('/api/guarded', post({ name: 'x' }, headers))).status
  }

  it('needs the token or a signed-in browser', async () => {
    expect(await guardedStatus({})).toBe(401)
    expect(await guardedStatus({ authorization: `Bearer ${TEST_TOKEN}` })).toBe(202)
    expect(await guardedStatus({ authorization: `Bearer ${TEST_TOKEN}x` })).toBe(401)
    expect(await guardedStatus({ authorization: `Basic ${TEST_TOKEN}` })).toBe(401)
    expect(await guardedStatus({ cookie: 'a=b; steward_session=signed-in' })).toBe(202)
    expect(await guardedStatus({ cookie: 'steward_session=guessed' })).toBe(401)
    expect(await guardedStatus({ cookie: 'steward_session=' })).toBe(401)
  })

  it('in strict mode is refused everywhere but public routes without it', async () => {
    const { fetch } = await start(handlers, { mode: 'strict' })
    expect((await fetch('/api/things/1')).status).toBe(401)
    expect((await fetch('/agents')).status).toBe(401)
    expect((await fetch('/api/open')).status).toBe(200)
    const headers = { authorization: `Bearer ${TEST_TOKEN}` }
    expect((await fetch('/api/things/1', { headers })).status).toBe(200)
  })

  it('over the rate limit has to wait, with Retry-After', async () => {
    const { fetch } = await start()
    const call = () =>
      fetch('/api/guarded', post({ name: 'x' }, { authorization: `Bearer ${TEST_TOKEN}` }))
    for (const _ of [1, 2, 3]) expect((await call()).status).toBe(202)
    const response = await call()
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '60'])
    expect((await fetch('/api/things/1')).status).toBe(200)
  })
})

describe('a body', () => {
  it('that is announced too large is refused unread', async () => {
    const { server, lines } = await start()
    const answer = await sendRaw(
      server.port,
      rawRequest({
        method: 'POST',
        target: '/api/things',
        headers: {
          host: `localhost:${server.port}`,
          'content-type': 'application/json',
          'content-length': '1073741824',
        },
      }),
    )
    expect(statusOf(answer)).toBe(413)
    expect(lines.join()).toContain('413 payload_too_large')
  })

  it('that grows too large is cut at the limit', async () => {
    const { base } = await start()
    let sent = 0
    const chunk = new Uint8Array(64 * 1024).fill(0x20)
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += chunk.length
        controller.enqueue(chunk)
      },
    })
    const init = { ...post({}), body, duplex: 'half' } as const
    // The client may see the answer or, while still sending, a closed connection.
    const status = await fetch(`${base}/api/things`, init).then(
      (response) => response.status,
      () => 413,
    )
    expect(status).toBe(413)
    expect(sent).toBeLessThan(LIMITS.daemonBodyBytes * 20)
  })
})

describe('clients that take their time', () => {
  const limits = {
    ...SERVER_LIMITS,
    headersTimeoutMs: 80,
    requestTimeoutMs: 120,
    checkIntervalMs: 20,
  }

  it('with their headers are cut', async () => {
    const { server, fetch, lines } = await start(handlers, { limits })
    expect(statusOf(await sendRaw(server.port, 'GET /health HTTP/1.1\r\nHost: local'))).toBe(408)
    expect(lines.join()).toContain('did not arrive completely in time')
    expect((await fetch('/api/open')).status).toBe(200)
  })

  it('and send nothing are closed without a log line', async () => {
    const { server, lines } = await start(handlers, { limits })
    expect(await sendRaw(server.port, '')).toBe('')
    const reset = connect({ host: '127.0.0.1', port: server.port })
    await once(reset, 'connect')
    reset.resetAndDestroy()
    await expect.poll(() => server.connections()).toBe(0)
    expect(lines).toEqual([])
  })

  it('with their body are cut', async () => {
    const { server, fetch } = await start(handlers, { limits })
    const answer = await sendRaw(
      server.port,
      `POST /api/things HTTP/1.1\r\nHost: localhost:${server.port}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name"`,
    )
    expect(statusOf(answer)).toBe(408)
    expect((await fetch('/api/open')).status).toBe(200)
  })
})

describe('bytes that are not a request', () => {
  it.each([
    ['noise', new Uint8Array(4096).fill(0xfe), 400],
    ['a header flood', `GET / HTTP/1.1\r\n${'x: y\r\n'.repeat(10_000)}\r\n`, 431],
    ['a TLS greeting', new Uint8Array([0x16, 3, 1, 0, 5, 1, 0, 0, 1, 0]), 400],
    ['two lengths', 'POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
  ])('%s get an answer and the door', async (_, bytes, status) => {
    const { server, fetch, lines } = await start()
    expect(statusOf(await sendRaw(server.port, bytes))).toBe(status)
    expect(lines).not.toEqual([])
    expect((await fetch('/api/open')).status).toBe(200)
  })

  it('too many headers are refused, none is dropped silently', async () => {
    const { server } = await start()
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`x-${index}`, 'y']))
    const headers = { host: `localhost:${server.port}`, ...many, origin: 'http://evil.example' }
    const answer = await sendRaw(server.port, rawRequest({ target: '/api/open', headers }))
    expect(statusOf(answer)).toBe(400)
  })

  it('without a host get 403', async () => {
    const { server } = await start()
    const answer = await sendRaw(server.port, 'GET /api/open HTTP/1.0\r\n\r\n')
    expect(statusOf(answer)).toBe(403)
    expect(answer).toContain('foreign_host')
  })
})

describe('streams', () => {
  it('arrive while they are open and end when the server stops', async () => {
    const { fetch, server } = await start()
    const response = await fetch('/api/feed')
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    const reading = response.text()
    await server.stop(10_000)
    expect(await reading).toContain('data: hello')
  })

  it('are limited in number; one that ends makes room', async () => {
    const streams = createStreamCount(1)
    const { fetch } = await start(handlers, { streams })
    const first = new AbortController()
    await fetch('/api/feed', { signal: first.signal })
    expect((await fetch('/api/feed')).status).toBe(429)
    first.abort()
    await expect.poll(() => streams.open()).toBe(0)
    const again = await fetch('/api/feed')
    expect(again.status).toBe(200)
  })
})

describe('stopping', () => {
  it('lets a call finish, and accepts no new one', async () => {
    const gate = Promise.withResolvers<void>()
    const entered = Promise.withResolvers<void>()
    const slow = handle(open, async () => {
      entered.resolve()
      await gate.promise
      return { finished: true }
    })
    const { fetch, server } = await start([slow])
    const answer = fetch('/api/open')
    await entered.promise
    const stopped = server.stop(60_000)
    await expect(fetch('/api/open')).rejects.toThrow()
    gate.resolve()
    expect(await (await answer).json()).toEqual({ finished: true })
    await stopped
  })

  it('waits no longer than its limit, and aborts the handler', async () => {
    let signal: AbortSignal | undefined
    const entered = Promise.withResolvers<void>()
    const stuck = handle(open, (_, call) => {
      signal = call.signal
      entered.resolve()
      return new Promise<unknown>(() => undefined)
    })
    const { fetch, server } = await start([stuck])
    const answer = fetch('/api/open')
    const cut = expect(answer).rejects.toThrow()
    await entered.promise
    await server.stop(0)
    await cut
    expect(signal?.aborted).toBe(true)
  })
})

describe('another account of this machine', () => {
  const isOwnAccount = async () => false
  const local = ['/api/things/1', '/api/feed', '/', '/assets/app.js']

  it('gets only public routes without the token', async () => {
    const { fetch } = await start(handlers, { isOwnAccount })
    for (const path of local) expect((await fetch(path)).status).toBe(401)
    expect((await fetch('/notify', post({ name: 'x' }))).status).toBe(401)
    expect((await fetch('/api/open')).status).toBe(200)
  })

  it('may use the token, as anyone who has it', async () => {
    const { fetch } = await start(handlers, { isOwnAccount })
    const headers = { authorization: `Bearer ${TEST_TOKEN}` }
    expect((await fetch('/api/things/1', { headers })).status).toBe(200)
    const cookie = { cookie: 'steward_session=signed-in' }
    expect((await fetch('/', { headers: cookie })).status).toBe(200)
  })

  it('counts as ours in the mode any-account, and still needs the token to run something', async () => {
    const { fetch } = await start(handlers, { isOwnAccount, mode: 'any-account' })
    expect((await fetch('/api/things/1')).status).toBe(200)
    expect((await fetch('/api/guarded', post({ name: 'x' }))).status).toBe(401)
  })

  it.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
    'is recognised by the system',
    async () => {
      const { base } = await start()
      const script = `fetch('${base}/api/things/1').then((answer) => console.log(answer.status))`
      const statusFor = async (uid: number) => {
        const { stdout } = await run(process.execPath, ['-e', script], { uid, gid: uid, cwd: '/' })
        return Number(stdout)
      }
      expect(await statusFor(0)).toBe(200)
      expect(await statusFor(NOBODY)).toBe(401)
    },
  )
})
