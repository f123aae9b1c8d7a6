import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { createGuardedFetch, type GuardedFetchOptions } from './guarded-fetch.ts'

const closers: Array<() => void> = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

const hostOf = (server: { address: () => AddressInfo | string | null }): string => {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening')
  return `127.0.0.1:${address.port}`
}

const serve = async (listener: RequestListener): Promise<{ host: string; server: Server }> => {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return { host: hostOf(server), server }
}

const closing = (socket: Socket): Promise<void> =>
  new Promise((resolve) => socket.once('close', () => resolve()))

const redirectTo =
  (location: string, status = 302): RequestListener =>
  (_, response) => {
    response.writeHead(status, { location }).end()
  }

const textOf = async (request: IncomingMessage): Promise<string> => {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}

const fetchVia = (hosts: string[], options: GuardedFetchOptions = {}) =>
  createGuardedFetch({ allowPrivateHosts: hosts, ...options })

describe('createGuardedFetch', () => {
  it('answers with a standard response that has its address', async () => {
    const { host } = await serve(async (request, response) => {
      response.setHeader('set-cookie', ['a=1', 'b=2'])
      response.end(`${request.method} ${request.headers['content-type']} ${await textOf(request)}`)
    })
    const response = await fetchVia([host])(`http://${host}/path?q=1#part`, {
      method: 'POST',
      body: new URLSearchParams({ x: 'y' }),
    })
    expect(response).toBeInstanceOf(Response)
    expect(response.url).toBe(`http://${host}/path?q=1`)
    expect(response.clone().url).toBe(response.url)
    expect(response.redirected).toBe(false)
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect(await response.clone().text()).toBe(
      'POST application/x-www-form-urlencoded;charset=UTF-8 x=y',
    )
  })

  it('sends credentials in the address as basic authentication', async () => {
    const { host } = await serve((request, response) => response.end(request.headers.authorization))
    const response = await fetchVia([host])(`http://me:p%40ss@${host}/`)
    expect(await response.text()).toBe(`Basic ${Buffer.from('me:p@ss').toString('base64')}`)
    expect(response.url).toBe(`http://${host}/`)
  })

  it('returns an answer without a body, and an error answer', async () => {
    const { host } = await serve((request, response) => {
      response.writeHead(request.url === '/none' ? 204 : 503).end()
    })
    const fetch = fetchVia([host])
    expect((await fetch(`http://${host}/none`)).status).toBe(204)
    expect((await fetch(`http://${host}/down`)).status).toBe(503)
  })

  it.each([
    'http://127.0.0.1/',
    'http://0x7f.1/',
    'http://2130706433/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://10.0.0.1/',
    'https://[fd00:ec2::254]/',
    'http://localhost/',
    'file:///etc/passwd',
    'ftp://example.test/',
    'data:text/plain,hi',
  ])('refuses %s', async (url) => {
    await expect(createGuardedFetch()(url)).rejects.toMatchObject({ code: 'address_refused' })
  })

  it('allows a listed host at the listed port only', async () => {
    const { host } = await serve((_, response) => response.end('ok'))
    const other = await serve((_, response) => response.end('never'))
    const fetch = fetchVia([host])
    expect(await (await fetch(`http://${host}/`)).text()).toBe('ok')
    await expect(fetch(`http://${other.host}/`)).rejects.toMatchObject({ code: 'address_refused' })
    expect((await fetchVia(['127.0.0.1'])(`http://${other.host}/`)).status).toBe(200)
  })

  it('reports invalid addresses and invalid requests', async () => {
    const fetch = createGuardedFetch()
    await expect(fetch('not an address')).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(
      fetch('https://example.test/', { method: 'GET', body: 'x' }),
    ).rejects.toMatchObject({ code: 'invalid_input' })
  })

  it('names the server that could not be reached', async () => {
    const { host, server } = await serve(() => undefined)
    server.close()
    await once(server, 'close')
    await expect(fetchVia([host])(`http://${host}/`)).rejects.toMatchObject({
      code: 'upstream_failed',
      message: expect.stringContaining('ECONNREFUSED'),
    })
  })

  it('uses no proxy of the environment', async () => {
    const proxy = await serve((_, response) => response.end('proxied'))
    const { host } = await serve((_, response) => response.end('direct'))
    process.env.HTTP_PROXY = `http://${proxy.host}`
    closers.push(() => delete process.env.HTTP_PROXY)
    expect(await (await fetchVia([host])(`http://${host}/`)).text()).toBe('direct')
  })
})

describe('names', () => {
  it('are asked for once per connection, and that one answer is judged', async () => {
    let reached = 0
    const { host } = await serve((_, response) => {
      reached++
      response.end('secret')
    })
    // A name server that changes its answer between check and use is only asked once.
    const answers = ['127.0.0.1', '93.184.216.34']
    const lookup = async () => [{ address: answers.shift() ?? '127.0.0.1', family: 4 }]
    const fetch = createGuardedFetch({ lookup })
    await expect(fetch(`http://rebind.test:${host.split(':')[1]}/`)).rejects.toMatchObject({
      code: 'address_refused',
      message: 'refused to connect to rebind.test: 127.0.0.1 is this machine itself',
    })
    expect(answers).toEqual(['93.184.216.34'])
    expect(reached).toBe(0)
  })

  it('are judged again for every connection', async () => {
    let reached = 0
    const { host } = await serve((_, response) => {
      reached++
      response.writeHead(200, { connection: 'close' }).end('ok')
    })
    const port = host.split(':')[1]
    // Allowed under one name only: the second name resolves to the same address and must be
    // refused.
    const lookup = async () => [{ address: '127.0.0.1', family: 4 }]
    const fetch = createGuardedFetch({ lookup, allowPrivateHosts: [`mine.test:${port}`] })
    expect(await (await fetch(`http://mine.test:${port}/`)).text()).toBe('ok')
    await expect(fetch(`http://other.test:${port}/`)).rejects.toMatchObject({
      code: 'address_refused',
    })
    expect(reached).toBe(1)
  })

  it('are refused when all of their addresses are private', async () => {
    const { host } = await serve((_, response) => response.end('reached'))
    const port = host.split(':')[1]
    const lookup = async () => [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]
    await expect(createGuardedFetch({ lookup })(`http://two.test:${port}/`)).rejects.toMatchObject({
      code: 'address_refused',
    })
    const listed = createGuardedFetch({ lookup, allowPrivateHosts: [`TWO.test:${port}`] })
    expect(await (await listed(`http://two.test:${port}/`)).text()).toBe('reached')
  })

  it('refuses a name without addresses', async () => {
    const fetch = createGuardedFetch({ lookup: async () => [] })
    await expect(fetch('http://none.test/')).rejects.toMatchObject({ code: 'address_refused' })
  })
})

describe('redirects', () => {
  it('are followed, and the answer has the final address', async () => {
    const { host } = await serve((request, response) => {
      if (request.url === '/old') redirectTo('/new?x=1', 301)(request, response)
      else response.end('here')
    })
    const response = await fetchVia([host])(`http://${host}/old`)
    expect(await response.text()).toBe('here')
    expect(response.url).toBe(`http://${host}/new?x=1`)
    expect(response.redirected).toBe(true)
  })

  it('to a private address are refused, whatever the first one was', async () => {
    let reached = 0
    const inner = await serve((_, response) => {
      reached++
      response.end('secret')
    })
    for (const target of [
      `http://${inner.host}/`,
      'http://169.254.169.254/latest/meta-data/',
      'http://0x7f.1/',
      'file:///etc/passwd',
    ]) {
      const outer = await serve(redirectTo(target))
      await expect(fetchVia([outer.host])(`http://${outer.host}/`)).rejects.toMatchObject({
        code: 'address_refused',
      })
    }
    expect(reached).toBe(0)
  })

  it('end after so many', async () => {
    let count = 0
    const { host } = await serve((request, response) => {
      count++
      redirectTo(`/${count}`)(request, response)
    })
    await expect(
      fetchVia([host], { limits: { redirects: 3 } })(`http://${host}/`),
    ).rejects.toMatchObject({
      code: 'upstream_failed',
      message: expect.stringContaining('3 times'),
    })
    expect(count).toBe(4)
  })

  it('carry credentials within an origin and never across', async () => {
    const seen: Array<Record<string, string | undefined>> = []
    const note = (request: IncomingMessage) =>
      seen.push({
        authorization: request.headers.authorization,
        cookie: request.headers.cookie,
        plain: request.headersDistinct['x-plain']?.[0],
      })
    const other = await serve((request, response) => {
      note(request)
      response.end()
    })
    const first = await serve((request, response) => {
      note(request)
      redirectTo(request.url === '/' ? '/same' : `http://${other.host}/`)(request, response)
    })
    await fetchVia([first.host, other.host])(`http://${first.host}/`, {
      headers: { authorization: 'Bearer t', cookie: 'c=1', 'x-plain': 'p' },
    })
    const all = { authorization: 'Bearer t', cookie: 'c=1', plain: 'p' }
    expect(seen).toEqual([all, all, { authorization: undefined, cookie: undefined, plain: 'p' }])
  })

  it.each([
    [301, 'GET', '', undefined],
    [302, 'GET', '', undefined],
    [303, 'GET', '', undefined],
    [307, 'POST', 'body', 'text/plain'],
    [308, 'POST', 'body', 'text/plain'],
  ])('%i turns POST into %s', async (status, method, body, type) => {
    const { host } = await serve(async (request, response) => {
      if (request.url === '/') return redirectTo('/next', status)(request, response)
      const { 'content-type': contentType } = request.headers
      response.end(JSON.stringify([request.method, await textOf(request), contentType ?? null]))
    })
    const response = await fetchVia([host])(`http://${host}/`, {
      method: 'POST',
      body: 'body',
      headers: { 'content-type': 'text/plain' },
    })
    expect(await response.json()).toEqual([method, body, type ?? null])
  })

  it('are left to the caller, or an error, when asked for', async () => {
    const { host } = await serve(redirectTo('http://169.254.169.254/'))
    const fetch = fetchVia([host])
    const response = await fetch(`http://${host}/`, { redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([
      302,
      'http://169.254.169.254/',
    ])
    await expect(fetch(`http://${host}/`, { redirect: 'error' })).rejects.toMatchObject({
      code: 'upstream_failed',
    })
  })
})

describe('bodies', () => {
  it('without an end are cut and the connection is closed', async () => {
    let closed: Promise<unknown> | undefined
    const { host } = await serve((request, response) => {
      closed = closing(request.socket)
      const write = () => {
        while (response.writable && response.write('x'.repeat(10_000)));
      }
      response.on('drain', write)
      write()
    })
    await expect(
      fetchVia([host], { limits: { bodyBytes: 100_000 } })(`http://${host}/`),
    ).rejects.toMatchObject({ code: 'payload_too_large' })
    await closed
  })

  it('are measured after unpacking', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024))
    expect(bomb.length).toBeLessThan(100_000)
    const { host } = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': bomb.length })
      response.end(bomb)
    })
    await expect(
      fetchVia([host], { limits: { bodyBytes: 1024 * 1024 } })(`http://${host}/`),
    ).rejects.toMatchObject({ code: 'payload_too_large' })
  })

  it('are decompressed, and the headers match', async () => {
    const packed = gzipSync('hello')
    const { host } = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': packed.length })
      response.end(packed)
    })
    const response = await fetchVia([host])(`http://${host}/`)
    expect(await response.text()).toBe('hello')
    expect(response.headers.has('content-encoding')).toBe(false)
  })

  it('that announce too large a size are not read', async () => {
    const { host } = await serve((_, response) => {
      response.writeHead(200, { 'content-length': 5000 }).flushHeaders()
    })
    await expect(
      fetchVia([host], { limits: { bodyBytes: 4999 } })(`http://${host}/`),
    ).rejects.toMatchObject({ code: 'payload_too_large', message: expect.stringContaining('5000') })
  })

  it('of just the limit pass', async () => {
    const { host } = await serve((_, response) => response.end('12345'))
    const response = await fetchVia([host], { limits: { bodyBytes: 5 } })(`http://${host}/`)
    expect(await response.text()).toBe('12345')
  })
})

describe('time', () => {
  /** A server that sends `lines` and then stalls; reports when it did. */
  const serveSlowly = async (lines: string) => {
    const spoke = Promise.withResolvers<Socket>()
    const server = createTcpServer((socket) => {
      socket.on('error', () => socket.destroy())
      socket.once('data', () => socket.write(lines, () => spoke.resolve(socket)))
      closers.push(() => socket.destroy())
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    closers.push(() => server.close())
    return { host: hostOf(server), spoke: spoke.promise }
  }

  it.each([
    ['headers', 'HTTP/1.1 200 OK\r\nX-Slow: '],
    ['a body', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this'],
  ])('is up while %s still come', async (_, lines) => {
    const { host, spoke } = await serveSlowly(lines)
    let elapse: () => void = () => expect.unreachable('no timer was started')
    const fetch = fetchVia([host], {
      limits: { timeoutMs: 1234 },
      startTimer: (delayMs, onElapsed) => {
        expect(delayMs).toBe(1234)
        elapse = onElapsed
        return () => undefined
      },
    })
    const pending = fetch(`http://${host}/feed?token=hidden`)
    const failed = expect(pending).rejects.toMatchObject({
      code: 'timeout',
      message: `fetching http://${host}/feed took longer than 1234 ms`,
    })
    const socket = await spoke
    const closed = closing(socket)
    elapse()
    await failed
    await closed
  })

  it('is longer for a call that asks for more', async () => {
    const { host, spoke } = await serveSlowly('HTTP/1.1 200 OK\r\n')
    const delays: number[] = []
    const stop = new AbortController()
    const fetch = fetchVia([host], {
      startTimer: (delayMs) => {
        delays.push(delayMs)
        return () => undefined
      },
    })
    const pending = fetch(`http://${host}/`, { timeoutMs: 99_000, signal: stop.signal })
    const failed = expect(pending).rejects.toThrow('enough')
    await spoke
    stop.abort(new Error('enough'))
    await failed
    expect(delays).toEqual([99_000])
  })

  it('ends when the caller aborts', async () => {
    const { host, spoke } = await serveSlowly('HTTP/1.1 200 OK\r\n')
    const stop = new AbortController()
    const pending = fetchVia([host])(`http://${host}/`, { signal: stop.signal })
    const failed = expect(pending).rejects.toThrow('enough')
    await spoke
    stop.abort(new Error('enough'))
    await failed
    await expect(
      fetchVia([host])(`http://${host}/`, { signal: AbortSignal.abort(new Error('early')) }),
    ).rejects.toThrow('early')
  })
})
