import { connect } from 'node:net'
import { API, type Route } from '@steward/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  rawRequest,
  sendRaw,
  statusOf,
} from '../../packages/daemon/src/server/testing/raw-request.ts'
import { type Cli, createCli } from './cli-process.ts'
import { type DaemonProcess, startDaemonProcess } from './daemon-process.ts'
import { openSlowConnections, type SlowConnections } from './slow-connections.ts'

/** Every route of the table, so that new routes are tested automatically. */
const ROUTES = Object.entries<Route>(API).map(([operation, route]) => ({
  operation,
  route,
  title: `${route.method} ${route.path}`,
  target: fill(route.path, 'x'),
}))
const MUTATIONS = ROUTES.filter(({ route }) => route.method !== 'GET')
const WITH_PARAMS = ROUTES.filter(({ route }) => route.path.includes(':'))
const GUARDED = ROUTES.filter(({ route }) => route.access === 'token')

function fill(path: string, value: string): string {
  return path.replaceAll(/:\w+/g, value)
}

let cli: Cli
let daemon: DaemonProcess
/** Slow connections are closed after 30 seconds, so they use a separate daemon in parallel. */
let slow: SlowConnections
beforeAll(async () => {
  cli = createCli()
  slow = await openSlowConnections()
  daemon = await startDaemonProcess(cli)
})
afterAll(async () => {
  const code = await daemon?.stop()
  cli?.remove()
  await slow?.close()
  expect(code).toBe(0)
})

const ourHost = () => `127.0.0.1:${daemon.port}`
const bearer = () => ({ authorization: `Bearer ${daemon.token()}` })

const refusedCount = async (): Promise<number> =>
  Number((await daemon.health()).subsystems.server?.refused)

/** Sends one request with the token, so that only the tested property can cause a refusal. */
const send = (
  route: { method: string },
  target: string,
  headers: Record<string, string>,
  body = '',
) =>
  sendRaw(
    daemon.port,
    rawRequest({
      method: route.method,
      target,
      headers: { host: ourHost(), ...bearer(), ...headers },
      body: route.method === 'GET' ? '' : body,
    }),
  )

const expectRefused = async (
  attempt: () => Promise<string>,
  status: number,
  code: string,
): Promise<void> => {
  const before = await refusedCount()
  const answer = await attempt()
  expect(statusOf(answer), answer).toBe(status)
  expect(answer).toContain(`"code":"${code}"`)
  expect(await refusedCount()).toBe(before + 1)
  expect(daemon.stderr()).toContain(`${status} ${code}`)
}

const jsonType = { 'content-type': 'application/json' }

describe('a page of another origin', () => {
  it.each(ROUTES)('cannot read $title', async ({ route, target }) => {
    for (const origin of ['http://evil.example', 'null', 'http://127.0.0.1:3000']) {
      await expectRefused(
        () => send(route, target, { ...jsonType, origin }, '{}'),
        403,
        'foreign_origin',
      )
    }
    await expectRefused(
      () => send(route, target, { ...jsonType, 'sec-fetch-site': 'cross-site' }, '{}'),
      403,
      'foreign_origin',
    )
  })

  it.each(ROUTES)('gets no preflight permission for $title', async ({ route, target }) => {
    const headers = {
      origin: 'http://evil.example',
      'access-control-request-method': route.method,
      'access-control-request-headers': 'content-type',
    }
    const answer = await send({ method: 'OPTIONS' }, target, headers)
    expect(statusOf(answer)).toBe(403)
    expect(answer.toLowerCase()).not.toContain('access-control-allow')
  })
})

describe('a foreign host name that resolves to this machine', () => {
  it.each(ROUTES)('does not reach $title', async ({ route, target }) => {
    for (const host of [
      'evil.example',
      `evil.example:${daemon.port}`,
      '127.0.0.1',
      '\u00ff\u00fe',
    ]) {
      await expectRefused(
        () => send(route, target, { ...jsonType, host }, '{}'),
        403,
        'foreign_host',
      )
    }
  })
})

describe('a form or a script without preflight', () => {
  it.each(MUTATIONS.filter(({ route }) => !route.takesBytes))(
    'changes nothing through $title',
    async ({ route, target }) => {
      for (const type of [
        'application/x-www-form-urlencoded',
        'text/plain',
        'multipart/form-data; boundary=x',
      ]) {
        await expectRefused(
          () => send(route, target, { 'content-type': type }, '{"a":1}'),
          415,
          'unsupported_media_type',
        )
      }
      await expectRefused(() => send(route, target, {}, '{"a":1}'), 415, 'unsupported_media_type')
    },
  )

  it.each(MUTATIONS.filter(({ route }) => route.takesBytes))(
    'has no signature for $title',
    async ({ route, target }) => {
      expect(route.access).toBe('public')
      const form = { 'content-type': 'application/x-www-form-urlencoded' }
      expect(statusOf(await send(route, target, form, 'a=1'))).toBe(404)
    },
  )
})

describe('without the token', () => {
  it.each(GUARDED)('$title is refused', async ({ route, target }) => {
    for (const authorization of ['', 'Bearer x', 'Basic eDp5', `Bearer ${'0'.repeat(64)}`]) {
      await expectRefused(
        () => send(route, target, { ...jsonType, authorization }, '{}'),
        401,
        'unauthorized',
      )
    }
    await expectRefused(
      () =>
        send(
          route,
          target,
          { ...jsonType, authorization: '', cookie: `steward_session_${daemon.port}=x` },
          '{}',
        ),
      401,
      'unauthorized',
    )
  })

  it('the route table is not empty', () => {
    expect(GUARDED.map(({ title }) => title)).toContain('POST /api/runs')
    expect(WITH_PARAMS.length).toBeGreaterThan(0)
    expect(MUTATIONS.length).toBeGreaterThan(4)
  })
})

describe('an invalid path parameter', () => {
  const STRAY = [
    '..',
    '../../token',
    '..%2f..%2ftoken',
    '%2e%2e',
    '%2e%2e%2ftoken',
    '..%5c..%5ctoken',
    'a%00b',
    '%c0%ae%c0%ae',
    '%',
    'a'.repeat(5000),
  ]
  it.each(WITH_PARAMS)('is rejected by $title', async ({ route }) => {
    for (const stray of STRAY) {
      const target = fill(route.path, stray)
      await expectRefused(() => send(route, target, jsonType, '{}'), 400, 'invalid_input')
    }
  })
})

/** Sends an endless body and returns how much was accepted before the connection was closed. */
const flood = (head: string): Promise<{ answer: string; sentBytes: number }> =>
  new Promise((resolve) => {
    const chunk = Buffer.concat([
      Buffer.from('10000\r\n'),
      Buffer.alloc(0x10000, ' '),
      Buffer.from('\r\n'),
    ])
    const WHOLE_BYTES = 1024 ** 3
    let sentBytes = 0
    let answer = ''
    const socket = connect({ port: daemon.port, host: '127.0.0.1' })
    const push = () => {
      while (!socket.destroyed && sentBytes < WHOLE_BYTES) {
        sentBytes += chunk.length
        if (!socket.write(chunk)) return
      }
    }
    socket.on('data', (data) => {
      answer += data.toString('latin1')
    })
    socket.on('drain', push)
    // The connection is expected to be cut; `close` follows.
    socket.on('error', () => undefined)
    socket.on('close', () => resolve({ answer, sentBytes }))
    socket.write(head)
    push()
  })

describe('a body of a gigabyte', () => {
  it.each(ROUTES)('is not accepted by $title', async ({ route, target }) => {
    const head = rawRequest({
      method: route.method,
      target,
      headers: {
        host: ourHost(),
        ...bearer(),
        ...jsonType,
        connection: 'keep-alive',
        'transfer-encoding': 'chunked',
      },
    })
    const { answer, sentBytes } = await flood(head)
    expect(sentBytes).toBeLessThan(64 * 1024 ** 2)
    const status = route.method === 'GET' ? 400 : 413
    const isRefused = route.method === 'GET' || route.body !== undefined
    // A client that is still sending may see the cut before the response.
    if (isRefused && answer !== '') expect(statusOf(answer), answer).toBe(status)
    expect((await daemon.fetch('/health')).status).toBe(200)
  })

  it.each(MUTATIONS.filter(({ route }) => route.body !== undefined))(
    'with a declared length is refused unread by $title',
    async ({ route, target }) => {
      await expectRefused(
        () => send(route, target, { ...jsonType, 'content-length': String(1024 ** 3) }),
        413,
        'payload_too_large',
      )
    },
  )
})

describe('harmful connections', () => {
  it('floods of headers are refused', async () => {
    const many = `GET /health HTTP/1.1\r\nHost: ${ourHost()}\r\n${'x: y\r\n'.repeat(100_000)}\r\n`
    expect(statusOf(await sendRaw(daemon.port, many))).toBe(431)
    const large = `GET /health HTTP/1.1\r\nHost: ${ourHost()}\r\nX: ${'y'.repeat(1_000_000)}\r\n\r\n`
    expect(statusOf(await sendRaw(daemon.port, large))).toBe(431)
    await daemon.said('its headers are too large')
  })

  it('garbage is refused', async () => {
    for (const bytes of [
      '\r\n\r\n\r\nGARBAGE\r\n\r\n',
      'GET\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      new Uint8Array(10_000).map((_, index) => (index * 7919) % 256),
      'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\nzz\r\n',
    ]) {
      expect(statusOf(await sendRaw(daemon.port, bytes))).toBe(400)
    }
    await daemon.said('it is not a complete HTTP request')
    expect((await daemon.fetch('/health')).status).toBe(200)
  })

  it('two thousand connections at once do not stop the daemon', async () => {
    const sockets = Array.from({ length: 2000 }, () => {
      const socket = connect({ port: daemon.port, host: '127.0.0.1' })
      socket.on('error', () => undefined)
      return socket
    })
    await Promise.all(
      sockets.map(
        (socket) =>
          new Promise<void>((resolve) => {
            socket.once('connect', () => resolve()).once('close', () => resolve())
          }),
      ),
    )
    for (const socket of sockets) socket.destroy()
    await expect
      .poll(async () => (await daemon.fetch('/health').catch(() => undefined))?.status)
      .toBe(200)
  })
})

describe('its output', () => {
  it('never contains the token or a path of this machine', async () => {
    expect(daemon.stderr()).not.toContain(daemon.token())
    const health = await (await daemon.fetch('/health')).text()
    expect(health).not.toContain(cli.home)
    expect(health).not.toContain(daemon.token())
  })

  it('is limited for refused callers, so that they cannot fill the disk', () => {
    const lines = daemon
      .stderr()
      .split('\n')
      .filter((line) => line.includes('foreign_origin'))
    expect(lines.length).toBeLessThan(200)
  })
})

describe('in strict mode', () => {
  let strict: DaemonProcess
  let strictCli: Cli
  beforeAll(async () => {
    strictCli = createCli()
    strictCli.write('settings.json', JSON.stringify({ auth: { mode: 'strict' } }))
    strict = await startDaemonProcess(strictCli)
  })
  afterAll(async () => {
    await strict?.stop()
    strictCli?.remove()
  })

  it.each(ROUTES)('$title needs the token unless it is public', async ({ route, target }) => {
    const response = await strict.fetch(target, {
      method: route.method,
      headers: jsonType,
      redirect: 'manual',
      ...(route.method === 'GET' ? {} : { body: '{}' }),
    })
    await response.body?.cancel()
    if (route.access === 'public') expect(response.status).not.toBe(403)
    else expect(response.status).toBe(401)
  })

  it('pages need it too', async () => {
    expect((await strict.fetch('/agents')).status).toBe(401)
    expect((await strict.fetch('/health')).status).toBe(200)
  })
})

describe('connections with unfinished requests', () => {
  it('are closed, and others are served meanwhile', async () => {
    expect(slow.statusMeanwhile).toBe(200)
    const answers = await slow.headers
    expect(answers).toHaveLength(200)
    expect(new Set(answers.map(statusOf))).toEqual(new Set([408]))
    expect(statusOf(await slow.body)).toBe(408)
    await slow.daemon.said('it did not arrive completely in time')
  })
})
