import { request as httpRequest } from 'node:http'
import { pollFeeds } from '@steward/engine'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createGuardedFetch } from '../../../platform/src/guarded-fetch/guarded-fetch.ts'
import type { StartTimer } from '../../../platform/src/processes/start-timer.ts'
import { createFeedProxy } from './feed-proxy.ts'
import { type ServedProxy, serveFeedProxy } from './serve-feed-proxy.ts'
import { type Answer, type FeedServer, rss, serveFeeds } from './testing/feed-server.ts'

let upstream: FeedServer
let answer: Answer
let proxy: ServedProxy

const serve = async (allowPrivateHosts: string[], startTimer?: StartTimer) =>
  serveFeedProxy(
    createFeedProxy({
      token: 't0ken',
      fetch: createGuardedFetch({
        allowPrivateHosts,
        limits: { bodyBytes: 10_000 },
        ...(startTimer === undefined ? {} : { startTimer }),
      }),
      now: () => new Date(0),
    }),
    { host: '127.0.0.1', port: 0 },
  )

beforeEach(async () => {
  answer = (_, response) => response.end(rss(['a']))
  upstream = await serveFeeds((request, response) => answer(request, response))
  proxy = await serve(['127.0.0.1'])
})
afterEach(async () => {
  upstream.close()
  await proxy.close()
})

const BEARER = { authorization: 'Bearer t0ken' }
const ask = (url: string, headers: Record<string, string> = {}) =>
  fetch(`${proxy.origin}/fetch?url=${encodeURIComponent(url)}`, {
    headers: { ...BEARER, ...headers },
  })

describe('the feed proxy', () => {
  it('forwards a feed, with the headers that a poller needs', async () => {
    answer = (_, response) => {
      response.setHeader('set-cookie', 'secret=1')
      response.writeHead(200, { etag: '"v1"', 'content-type': 'application/rss+xml' })
      response.end(rss(['a']))
    }
    const response = await ask(`${upstream.origin}/feed?a=1&b=2`, {
      'if-none-match': '"v0"',
      cookie: 'mine=1',
      'user-agent': 'poller',
    })
    expect(await response.text()).toBe(rss(['a']))
    expect(Object.fromEntries(response.headers)).toMatchObject({
      etag: '"v1"',
      'content-type': 'application/rss+xml',
    })
    expect(response.headers.has('set-cookie')).toBe(false)
    expect(upstream.seen[0]).toMatchObject({
      path: '/feed?a=1&b=2',
      headers: { 'if-none-match': '"v0"', 'user-agent': 'poller' },
    })
    expect(upstream.seen[0]?.headers).not.toHaveProperty('cookie')
    expect(upstream.seen[0]?.headers).not.toHaveProperty('authorization')
  })

  it.each([304, 403, 404, 429, 503])('forwards status %i as that of the feed', async (status) => {
    answer = (_, response) => response.writeHead(status, { 'retry-after': '9' }).end()
    const response = await ask(upstream.origin)
    expect(response.status).toBe(status)
    expect(response.headers.get('retry-after')).toBe('9')
    expect(response.headers.has('x-feed-proxy-error')).toBe(false)
  })

  it('requires its token first, except for /health', async () => {
    for (const authorization of ['', 'Bearer', 'Bearer wrong', 'Basic t0ken', 'Bearer t0ken2']) {
      for (const [method, path] of [
        ['GET', '/fetch?url=x'],
        ['POST', '/'],
        ['PUT', '/health'],
      ]) {
        const response = await fetch(`${proxy.origin}${path}`, {
          method: method ?? 'GET',
          headers: { authorization },
        })
        expect(response.status).toBe(401)
      }
    }
    const health = await fetch(`${proxy.origin}/health`)
    expect(await health.json()).toEqual({ status: 'ok', timestamp: '1970-01-01T00:00:00.000Z' })
    expect(upstream.seen).toEqual([])
  })

  it('reports what is wrong with a request', async () => {
    const statusOf = async (path: string, method = 'GET') =>
      (await fetch(`${proxy.origin}${path}`, { method, headers: BEARER })).status
    expect(await statusOf('/fetch')).toBe(400)
    expect(await statusOf('/fetch?url=nonsense')).toBe(400)
    expect(await statusOf('/fetch?url=https://a.test/', 'POST')).toBe(405)
    expect(await statusOf('/other')).toBe(404)
    expect((await ask('file:///etc/passwd')).status).toBe(400)
  })

  it('reaches no private address, neither at first nor by a redirect', async () => {
    await proxy.close()
    proxy = await serve([])
    const direct = await ask(upstream.origin)
    expect([direct.status, direct.headers.get('x-feed-proxy-error')]).toEqual([
      400,
      'address_refused',
    ])
    for (const url of ['http://169.254.169.254/', 'http://[::1]/', 'http://0x7f.1/']) {
      expect((await ask(url)).headers.get('x-feed-proxy-error')).toBe('address_refused')
    }
    await proxy.close()
    proxy = await serve([new URL(upstream.origin).host])
    answer = (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
    expect((await ask(upstream.origin)).headers.get('x-feed-proxy-error')).toBe('address_refused')
    expect(upstream.seen).toHaveLength(1)
  })

  it('enforces its size and time limits', async () => {
    answer = (_, response) => response.end('x'.repeat(10_001))
    expect((await ask(upstream.origin)).status).toBe(413)
    answer = () => undefined
    await proxy.close()
    proxy = await serve(['127.0.0.1'], (_, onElapsed) => {
      const soon = setImmediate(onElapsed)
      return () => clearImmediate(soon)
    })
    expect((await ask(upstream.origin)).status).toBe(504)
  })

  it('refuses to be an ordinary proxy', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const { hostname, port } = new URL(proxy.origin)
      httpRequest(
        { hostname, port, path: `${upstream.origin}/feed`, method: 'GET' },
        (response) => {
          response.resume()
          resolve(response.statusCode)
        },
      )
        .on('error', reject)
        .end()
    })
    expect(status).toBe(401)
    expect(upstream.seen).toEqual([])
  })

  it('serves the third tier of the poller', async () => {
    let calls = 0
    answer = (_, response) => {
      if (++calls === 1) response.writeHead(403).end()
      else response.end(rss(['a', 'b']))
    }
    const summary = await pollFeeds({
      feeds: [{ url: `${upstream.origin}/feed` }],
      store: { read: async () => undefined, write: async () => undefined },
      queue: { sendBatch: async () => undefined },
      fetch: createGuardedFetch({ allowPrivateHosts: ['127.0.0.1'] }),
      now: () => 0,
      random: () => 0,
      remaining: () => 100,
      secret: () => undefined,
      proxyUrl: proxy.origin,
      proxyToken: 't0ken',
    })
    expect(summary).toMatchObject({ tiers: { proxy: 1 }, items: { enqueued: 2 } })
  })
})
