import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { StewardError } from '@steward/contract'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import {
  type Destination,
  type Exchange,
  type Front,
  forward,
  openFreeFront,
  openFront,
  REQUEST_BYTES,
} from './front.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** Stands in for a worker: a server on loopback, or on a socket file. */
const serve = async (
  listener: (request: IncomingMessage, response: ServerResponse) => void,
  socketPath?: string,
): Promise<{ server: Server; destination: Destination }> => {
  const server = createServer(listener)
  closing.push(() => {
    server.close()
    server.closeAllConnections()
  })
  await new Promise<void>((done) =>
    socketPath === undefined
      ? server.listen(0, '127.0.0.1', done)
      : server.listen(socketPath, done),
  )
  const address = server.address()
  if (address === null) throw new Error('no address')
  if (typeof address === 'string') return { server, destination: { socketPath: address } }
  return { server, destination: { host: '127.0.0.1', port: address.port } }
}

const open = async (
  handle: (exchange: Exchange) => Promise<void>,
): Promise<Front & { url: string }> => {
  const front = await openFront(0, 'exec-a-test', handle)
  closing.push(front.abort)
  return { ...front, url: `http://127.0.0.1:${front.port}` }
}

test('no request fails because workerd closes the connection of an earlier one', async () => {
  const used = new WeakSet<object>()
  const { destination } = await serve(({ socket }, response) => {
    if (used.has(socket)) return void socket.destroy()
    used.add(socket)
    response.end('ok')
  })
  const { url } = await open((exchange) => forward(exchange, destination))
  for (let count = 0; count < 3; count += 1) expect((await fetch(url)).status).toBe(200)
})

test('forwards a request and its response unchanged', async () => {
  const socketPath = join(mkdtempSync(join(tmpdir(), 'steward-front-')), 'socket')
  closing.push(() => rmSync(join(socketPath, '..'), { recursive: true, force: true }))
  const echo = async (request: IncomingMessage, response: ServerResponse) => {
    const { method, url, headers } = request
    response.writeHead(418, [
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
      ['content-type', 'text/plain'],
    ])
    response.end(`${method} ${url} ${headers['x-given']} ${await text(request)}`)
  }
  for (const { destination } of [await serve(echo), await serve(echo, socketPath)]) {
    const { url } = await open((exchange) => forward(exchange, destination))
    const init = { method: 'PUT', body: 'hello', headers: { 'x-given': 'kept' } }
    const response = await fetch(`${url}/path?q=1`, init)
    expect(response.status).toBe(418)
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect(await response.text()).toBe('PUT /path?q=1 kept hello')
  }
})

test('streams bodies and responses', async () => {
  const { destination } = await serve((request, response) => {
    response.write('first')
    request.once('end', () => response.end(' last'))
    request.resume()
  })
  const { url } = await open((exchange) => forward(exchange, destination))
  const request = httpRequest(url, { method: 'POST' })
  request.write('half')
  const [response] = await once(request, 'response')
  const [first] = await once(response, 'data')
  expect(String(first)).toBe('first')
  request.end()
  expect(await text(response)).toBe(' last')
})

test('an error is answered from the table; one in the middle of a response cuts it', async () => {
  const thrown = await open(async () => {
    throw new StewardError('worker_not_found', { worker: 'exec-a-test' })
  })
  const refused = await fetch(thrown.url)
  expect(refused.status).toBe(404)
  expect(await refused.json()).toMatchObject({ success: false, code: 'worker_not_found' })

  const nobody = await open((exchange) => forward(exchange, { socketPath: '/nowhere/socket' }))
  expect(await (await fetch(nobody.url)).json()).toMatchObject({
    code: 'upstream_failed',
    error: expect.stringContaining('exec-a-test'),
  })

  const { destination } = await serve((_, response) => {
    response.write('half of it', () => response.destroy())
  })
  const cut = await open((exchange) => forward(exchange, destination))
  await expect(fetch(cut.url).then((response) => response.text())).rejects.toThrow('terminated')
})

test('a body larger than the limit of the platform is refused before the worker sees it', async () => {
  let seen = 0
  const { destination } = await serve(() => {
    seen += 1
  })
  const { port } = await open((exchange) => forward(exchange, destination))
  const socket = connect(port, '127.0.0.1')
  closing.push(() => socket.destroy())
  socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${REQUEST_BYTES + 1}\r\n\r\n`)
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1\.1 413 [\s\S]*"code":"payload_too_large"/)
  expect(seen).toBe(0)
})

test('a client that disconnects ends its request, also while it is held back', async () => {
  const gone = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  const { destination } = await serve((_, response) => {
    response.once('close', gone.resolve)
    reached.resolve()
  })
  const passed = Promise.withResolvers<void>()
  const direct = await open((exchange) => forward(exchange, destination))
  const stop = new AbortController()
  const asked = fetch(direct.url, { signal: stop.signal })
  await reached.promise
  stop.abort()
  await expect(asked).rejects.toThrow('aborted')
  await gone.promise

  const held = Promise.withResolvers<void>()
  const late = await open(async (exchange) => {
    held.resolve()
    await once(exchange.outgoing, 'close')
    await forward(exchange, destination)
    passed.resolve()
  })
  const stopLate = new AbortController()
  const askedLate = fetch(late.url, { method: 'POST', body: 'x', signal: stopLate.signal })
  await held.promise
  stopLate.abort()
  await expect(askedLate).rejects.toThrow('aborted')
  await passed.promise
})

test('close accepts nothing new and waits for requests in progress; abort does not', async () => {
  const held = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  const front = await open(async ({ outgoing }) => {
    held.resolve()
    await go.promise
    outgoing.end('done')
  })
  const asked = fetch(front.url)
  await held.promise
  const closed = front.close()
  await expect(fetch(front.url)).rejects.toThrow('fetch failed')
  go.resolve()
  expect(await (await asked).text()).toBe('done')
  await closed

  const arrived = Promise.withResolvers<void>()
  const never = await open(async () => arrived.resolve())
  const cut = fetch(never.url)
  await arrived.promise
  never.abort()
  await expect(cut).rejects.toThrow('fetch failed')
})

test('a port in use is reported with the worker that needs it', async () => {
  const { destination } = await serve(() => undefined)
  if (!('port' in destination)) throw new Error('no port')
  await expect(
    openFront(destination.port, 'exec-a-test', async () => undefined),
  ).rejects.toMatchObject({
    code: 'invalid_input',
    message: expect.stringMatching(/another program listens there, and exec-a-test needs it/),
  })
})

test('a busy port is replaced by the next free one', async () => {
  const handle = async ({ outgoing }: Exchange) => void outgoing.end('ok')
  const first = await openFront(0, 'exec-a-first', handle)
  const second = await openFront(0, 'exec-a-second', handle)
  const moved = await openFreeFront(first.port, second.port, 'exec-a-moved', handle)
  onTestFinished(() => {
    for (const front of [first, second, moved]) front.abort()
  })
  expect([first.port, second.port]).not.toContain(moved.port)
  expect(moved.port).toBeGreaterThan(second.port)
})
