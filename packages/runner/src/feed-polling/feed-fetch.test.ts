import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { type FeedQueueMessage, LIMITS } from '@steward/contract'
import { type PollPorts, pollFeeds, resetFeed } from '@steward/engine'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createGuardedFetch } from '../../../platform/src/guarded-fetch/guarded-fetch.ts'
import {
  createTemporaryHome,
  type TemporaryHome,
} from '../../../platform/src/testing/temporary-home.ts'
import { type FeedDatabase, openFeedDatabase } from '../feed-store/feed-database.ts'
import { type Answer, type FeedServer, rss, serveFeeds } from './testing/feed-server.ts'

let home: TemporaryHome
let database: FeedDatabase
let servers: FeedServer[]
let sent: FeedQueueMessage[]
let clock: number

const serve = async (answer: Answer): Promise<FeedServer> => {
  const server = await serveFeeds(answer)
  servers.push(server)
  return server
}

const poll = (urls: readonly string[], extra: Partial<PollPorts> = {}) =>
  pollFeeds({
    feeds: urls.map((url) => ({ url })),
    store: database.store,
    queue: {
      sendBatch: async (messages) => {
        sent.push(...messages.map(({ body }) => body))
      },
    },
    fetch: createGuardedFetch({ allowPrivateHosts: ['127.0.0.1'] }),
    now: () => clock,
    random: () => 0,
    remaining: () => LIMITS.subrequestsPerRun,
    secret: (name) => ({ FEED_KEY: 'k3y' })[name],
    ...extra,
  })

const recordOf = async (url: string) => {
  const record = await database.store.read(url)
  if (record === undefined) throw new Error(`no record of ${url}`)
  return record
}

/** Makes every feed due again. */
const later = (minutes = 24 * 60) => {
  clock += minutes * 60_000
}

beforeEach(() => {
  home = createTemporaryHome()
  database = openFeedDatabase(`${home.path}/feeds.sqlite`)
  servers = []
  sent = []
  clock = Date.parse('2026-03-01T00:00:00Z')
})

afterEach(async () => {
  await database.close()
  for (const server of servers) server.close()
  home.remove()
})

const CHALLENGE =
  '<!DOCTYPE html><html><head><title>Just a moment...</title></head><body></body></html>'

describe('a failing feed', () => {
  it.each<[string, Answer]>([
    ['401', (_, response) => response.writeHead(401).end()],
    ['403', (_, response) => response.writeHead(403).end('no')],
    [
      'challenge',
      (_, response) => response.writeHead(403, { 'cf-mitigated': 'challenge' }).end('<html>'),
    ],
    ['challenge', (_, response) => response.writeHead(503).end(CHALLENGE)],
    ['challenge', (_, response) => response.writeHead(200).end(CHALLENGE)],
    ['404', (_, response) => response.writeHead(404).end()],
    ['410', (_, response) => response.writeHead(410).end()],
    ['429', (_, response) => response.writeHead(429, { 'retry-after': '60' }).end()],
    ['5xx', (_, response) => response.writeHead(500).end(rss(['a']))],
    ['5xx', (_, response) => response.writeHead(503).end('down')],
    ['status', (_, response) => response.writeHead(400).end()],
    ['status', (_, response) => response.writeHead(304).end()],
    ['parse_error', (_, response) => response.end('<html><body>a page</body></html>')],
    ['parse_error', (_, response) => response.end('')],
    ['zero_items', (_, response) => response.end(rss([]))],
    ['redirect', (_, response) => response.writeHead(302, { location: '/again' }).end()],
    [
      'redirect',
      (_, response) => response.writeHead(301, { location: 'file:///etc/passwd' }).end(),
    ],
    ['refused', (_, response) => response.writeHead(302, { location: 'http://10.0.0.1/' }).end()],
    ['network', (_, response) => response.destroy()],
    [
      'too_large',
      (_, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' })
        response.end(gzipSync(Buffer.alloc(LIMITS.fetchBodyBytes + 1)))
      },
    ],
  ])('is classed %s', async (className, answer) => {
    const { origin } = await serve(answer)
    const summary = await poll([`${origin}/feed`])
    expect(summary).toMatchObject({ checked: 1, failed: { [className]: 1 } })
    expect(sent).toEqual([])
    expect(await recordOf(`${origin}/feed`)).toMatchObject({
      error_count: 1,
      last_class: className,
      last_success_at: null,
      etag: null,
    })
  })

  it('is classed tls when its server does not support it', async () => {
    const { origin } = await serve((_, response) => response.end(rss(['a'])))
    expect((await poll([origin.replace('http:', 'https:')])).failed).toEqual({ tls: 1 })
  })

  it('is classed timeout when its server never answers', async () => {
    const { origin } = await serve(() => undefined)
    expect((await poll([origin], { timeoutMs: 50 })).failed).toEqual({ timeout: 1 })
  })

  it('is classed refused at a private address', async () => {
    const { origin } = await serve((_, response) => response.end(rss(['a'])))
    const summary = await poll([origin], { fetch: createGuardedFetch() })
    expect(summary.failed).toEqual({ refused: 1 })
  })

  it('does not affect other feeds', async () => {
    const { origin } = await serve(({ path }, response) => {
      if (path === '/bad') response.destroy()
      else response.end(rss([path]))
    })
    const summary = await poll([`${origin}/bad`, `${origin}/good`, `${origin}/fine`])
    expect(summary).toMatchObject({ checked: 3, items: { enqueued: 2 }, failed: { network: 1 } })
  })

  it.each([
    ['429', '7200', 120],
    ['503', '7200', 120],
    ['429', 'Sun, 01 Mar 2026 03:00:00 GMT', 180],
    ['503', '1', 5],
    ['503', '999999999', 1440],
  ])('with status %s waits as its retry-after %s asks', async (status, retryAfter, minutes) => {
    const { origin } = await serve((_, response) =>
      response.writeHead(Number(status), { 'retry-after': retryAfter }).end(),
    )
    await poll([origin])
    const { next_check_at } = await recordOf(origin)
    expect(Date.parse(next_check_at ?? '') - clock).toBe(minutes * 60_000)
  })

  it('opens its breaker at exactly 50, is skipped then, and is tried again after a reset', async () => {
    let works = false
    const { origin, seen } = await serve((_, response) =>
      works ? response.end(rss(['a'])) : response.writeHead(500).end(),
    )
    for (let count = 1; count <= LIMITS.feedErrorBreaker; count++) {
      const summary = await poll([origin])
      expect(summary.opened).toEqual(count === LIMITS.feedErrorBreaker ? [origin] : [])
      later()
    }
    works = true
    expect(await poll([origin])).toMatchObject({ checked: 0, open: 1 })
    expect(seen).toHaveLength(LIMITS.feedErrorBreaker)
    await database.store.write(resetFeed(await recordOf(origin)))
    expect(await poll([origin])).toMatchObject({ checked: 1, items: { enqueued: 1 } })
    expect(await recordOf(origin)).toMatchObject({ error_count: 0, last_class: null })
  })
})

describe('a feed that answers', () => {
  it('is fetched conditionally, and an unmodified one is not parsed and counts as a success', async () => {
    const { origin, seen } = await serve(({ headers }, response) => {
      if (headers['if-none-match'] === '"v1"') {
        response.writeHead(304, { 'last-modified': 'Mon, 02 Mar 2026 00:00:00 GMT' }).end()
        return
      }
      response.writeHead(200, { etag: '"v1"', 'last-modified': 'Sun, 01 Mar 2026 00:00:00 GMT' })
      response.end(rss(['a', 'b']))
    })
    expect(await poll([origin])).toMatchObject({ items: { enqueued: 2 }, unmodified: 0 })
    later()
    await database.store.write({ ...(await recordOf(origin)), error_count: 49 })
    expect(await poll([origin])).toMatchObject({ items: { found: 0 }, unmodified: 1 })
    expect(seen[1]?.headers).toMatchObject({
      'if-none-match': '"v1"',
      'if-modified-since': 'Sun, 01 Mar 2026 00:00:00 GMT',
    })
    expect(await recordOf(origin)).toMatchObject({
      error_count: 0,
      etag: '"v1"',
      last_modified: 'Mon, 02 Mar 2026 00:00:00 GMT',
    })
  })

  it('with the same etag is unmodified whatever its status, unless forced', async () => {
    const { origin, seen } = await serve((_, response) =>
      response.writeHead(200, { etag: seen.length === 1 ? '"v1"' : 'W/"v1"' }).end(rss(['a'])),
    )
    await poll([origin])
    later()
    expect(await poll([origin])).toMatchObject({ unmodified: 1, items: { found: 0 } })
    later()
    const feeds = [{ url: origin, ignoreCache: true }]
    expect(await poll([], { feeds })).toMatchObject({ unmodified: 0, items: { found: 1 } })
    expect(seen[2]?.headers['if-none-match']).toBeUndefined()
  })

  it('without items stores nothing, so that it counts as an error each time', async () => {
    const { origin } = await serve(({ headers }, response) =>
      headers['if-none-match'] === undefined
        ? response.writeHead(200, { etag: '"empty"' }).end(rss([]))
        : response.writeHead(304).end(),
    )
    await poll([origin])
    later()
    await poll([origin])
    expect(await recordOf(origin)).toMatchObject({ error_count: 2, etag: null })
  })

  it('is checked next when it asks to be, within bounds', async () => {
    const { origin } = await serve(({ path }, response) => {
      const [, how] = path.split('/')
      const headers: Record<string, string> =
        how === 'age'
          ? { 'cache-control': 'public, max-age=10800' }
          : how === 'expires'
            ? { expires: 'Sun, 01 Mar 2026 04:00:00 GMT' }
            : how === 'never'
              ? { 'cache-control': 'max-age=99999999' }
              : how === 'now'
                ? { 'cache-control': 'max-age=1', expires: '0' }
                : {}
      response.writeHead(200, headers)
      response.end(rss(['a'], how === 'ttl' ? '<ttl>120</ttl>' : ''))
    })
    const paths = ['ttl', 'age', 'expires', 'never', 'now', 'plain']
    await poll(paths.map((path) => `${origin}/${path}`))
    const minutes = await Promise.all(
      paths.map(async (path) => {
        const { next_check_at } = await recordOf(`${origin}/${path}`)
        return Math.round((Date.parse(next_check_at ?? '') + 30_000 - clock) / 60_000)
      }),
    )
    expect(minutes).toEqual([120, 180, 240, 1440, 5, 60])
    expect(await poll(paths.map((path) => `${origin}/${path}`))).toMatchObject({ waiting: 6 })
  })

  it('has each item enqueued once, by identity, whatever changes', async () => {
    let names = ['b', 'a']
    const { origin } = await serve((_, response) => response.end(rss(names)))
    for (const next of [
      ['c', 'b', 'a'],
      ['d', 'c'],
      ['a', 'd', 'b'],
      ['a', 'd', 'b'],
    ]) {
      await poll([origin])
      later()
      names = next
    }
    await poll([origin])
    expect(sent.map(({ item }) => item.id).toSorted()).toEqual(['a', 'b', 'c', 'd'])
    expect(sent[0]).toMatchObject({ feed_url: origin, enqueued_at: '2026-03-01T00:00:00.000Z' })
  })

  it('has items cut that exceed a message', async () => {
    const long = 'ä"\\\u0001😀'.repeat(60_000)
    const { origin } = await serve((_, response) =>
      response.end(
        JSON.stringify({
          version: 'https://jsonfeed.org/version/1.1',
          title: 'x',
          items: [
            { id: 'long', content_html: long },
            { id: 'g'.repeat(200_000), title: 't'.repeat(200_000), url: 'https://example.test/a' },
          ],
        }),
      ),
    )
    expect(await poll([origin])).toMatchObject({ items: { enqueued: 2, truncated: 2 } })
    const [first, second] = sent
    expect(first?.truncated).toBe(true)
    expect(long.startsWith(first?.item.content ?? '?')).toBe(true)
    expect(Buffer.byteLength(JSON.stringify(first))).toBeGreaterThan(120_000)
    expect(second?.item.id).toBe(
      `sha256:${createHash('sha256').update('g'.repeat(200_000)).digest('hex')}`,
    )
  })

  it('is fetched one at a time per host, others concurrently', async () => {
    const slow: Answer = ({ path }, response) => {
      setImmediate(() => response.end(rss([path])))
    }
    const [first, second] = [await serve(slow), await serve(slow)]
    const urls = [first, second].flatMap(({ origin }) =>
      Array.from({ length: 10 }, (_, index) => `${origin}/${index}`),
    )
    expect(await poll(urls)).toMatchObject({ checked: 20, items: { enqueued: 20 } })
    expect([first.mostAtOnce(), second.mostAtOnce()]).toEqual([1, 1])
  })

  it('gets its own headers, and no other host does', async () => {
    const other = await serve((_, response) => response.end(rss(['a'])))
    const { origin, seen } = await serve(({ path }, response) =>
      response
        .writeHead(302, { location: path === '/' ? '/same' : `${other.origin}/elsewhere` })
        .end(),
    )
    const feeds = [{ url: `${origin}/`, headers: { 'X-Key': 'key ${FEED_KEY}' } }]
    expect(await poll([], { feeds })).toMatchObject({ items: { enqueued: 1 } })
    expect(seen.map(({ headers }) => headers['x-key'])).toEqual(['key k3y', 'key k3y'])
    expect(other.seen[0]?.headers['x-key']).toBeUndefined()
    const missing = [{ url: `${origin}/2`, headers: { 'x-key': '${NOT_SET}' } }]
    expect((await poll([], { feeds: missing })).problems).toEqual([
      {
        url: `${origin}/2`,
        message:
          'the header x-key is not configured: the secret NOT_SET is not set. Here: add it to .env in the data home. On the edge: steward secrets set NOT_SET --all',
      },
    ])
  })
})

describe('redirects', () => {
  const chain = async (statuses: readonly number[]) => {
    const server = await serve(({ path }, response) => {
      const status = statuses[Number(path.slice(1))]
      if (status === undefined) response.end(rss(['a']))
      else response.writeHead(status, { location: `/${Number(path.slice(1)) + 1}` }).end()
    })
    await poll([`${server.origin}/0`])
    return { ...server, record: await recordOf(`${server.origin}/0`) }
  }

  it.each([
    [[301], true],
    [[308, 301, 308], true],
    [[301, 302], false],
    [[302, 301], false],
    [[307], false],
    [[303], false],
    [[301, 301, 301, 301, 301], true],
  ])('%j are remembered: %s', async (statuses, isRemembered) => {
    const { origin, record, seen } = await chain(statuses)
    expect(record.permanent_url).toBe(isRemembered ? `${origin}/${statuses.length}` : null)
    const before = seen.length
    later()
    await poll([`${origin}/0`])
    expect(seen[before]?.path).toBe(isRemembered ? `/${statuses.length}` : '/0')
    expect(sent).toHaveLength(1)
  })

  it('end after five', async () => {
    const { record, seen } = await chain([301, 301, 301, 301, 301, 301])
    expect(record).toMatchObject({ last_class: 'redirect', permanent_url: null })
    expect(seen).toHaveLength(6)
  })

  it('are forgotten when the target is gone, and not stored when another feed has that address', async () => {
    let moved = true
    const { origin } = await serve(({ path }, response) => {
      if (path === '/old' && moved) response.writeHead(301, { location: '/new' }).end()
      else if (path === '/new' && !moved) response.writeHead(404).end()
      else response.end(rss(['a']))
    })
    await poll([`${origin}/old`])
    expect((await recordOf(`${origin}/old`)).permanent_url).toBe(`${origin}/new`)
    moved = false
    later()
    await poll([`${origin}/old`])
    later()
    expect(await poll([`${origin}/old`])).toMatchObject({ failed: {}, checked: 1 })
    moved = true
    later()
    await poll([`${origin}/old`, `${origin}/new`])
    expect((await recordOf(`${origin}/old`)).permanent_url).toBeNull()
  })
})

describe('tiers', () => {
  const MARKDOWN = `Title: Kept out

URL Source: https://example.test/feed

Markdown Content:
## [Title a](https://example.test/a)
2026-02-01
Text of a.

## [Title b](https://example.test/b)
Text of b.
`
  const reader = () => serve((_, response) => response.end(MARKDOWN))
  const proxy = (answer: Answer = (_, response) => response.end(rss(['a', 'b', 'c']))) =>
    serve((request, response) => {
      if (request.headers.authorization !== 'Bearer t0ken') {
        response.writeHead(401, { 'x-feed-proxy-error': 'unauthorized' }).end()
      } else answer(request, response)
    })

  it.each<[string, Answer]>([
    ['403', (_, response) => response.writeHead(403).end()],
    ['a challenge', (_, response) => response.writeHead(503).end(CHALLENGE)],
    ['429 without retry-after', (_, response) => response.writeHead(429).end()],
  ])('after %s the reader is asked', async (_, answer) => {
    const { origin } = await serve(answer)
    const { origin: readerUrl, seen } = await reader()
    const summary = await poll([`${origin}/feed?x=1`], { readerUrl: `${readerUrl}/` })
    expect(summary).toMatchObject({ tiers: { reader: 1 }, items: { enqueued: 2 }, failed: {} })
    expect(seen[0]?.path).toBe(`/${origin}/feed?x=1`)
    expect(sent.map(({ item }) => [item.id, item.title, item.published])).toEqual([
      ['https://example.test/a', 'Title a', '2026-02-01T00:00:00.000Z'],
      ['https://example.test/b', 'Title b', null],
    ])
    expect(await recordOf(`${origin}/feed?x=1`)).toMatchObject({
      last_tier: 'reader',
      error_count: 0,
      title: 'Kept out',
    })
  })

  it.each<[string, Answer]>([
    ['404', (_, response) => response.writeHead(404).end()],
    [
      '429 with retry-after',
      (_, response) => response.writeHead(429, { 'retry-after': '9' }).end(),
    ],
    ['500', (_, response) => response.writeHead(500).end()],
  ])('after %s it is not', async (_, answer) => {
    const { origin } = await serve(answer)
    const { origin: readerUrl, seen } = await reader()
    await poll([origin], { readerUrl })
    expect(seen).toEqual([])
  })

  it('after the reader the proxy is asked, with its own token', async () => {
    const { origin } = await serve((_, response) => response.writeHead(403).end())
    const empty = await serve((_, response) => response.end('Markdown Content:\nnothing'))
    const { origin: proxyUrl, seen } = await proxy()
    const tiers = { readerUrl: empty.origin, proxyUrl, proxyToken: 't0ken' }
    const summary = await poll([`${origin}/feed?a=b&c`], tiers)
    expect(summary).toMatchObject({ tiers: { proxy: 1 }, items: { enqueued: 3 } })
    expect(seen[0]?.path).toBe(`/fetch?url=${encodeURIComponent(`${origin}/feed?a=b&c`)}`)
    expect(empty.seen[0]?.headers.authorization).toBeUndefined()
  })

  it('that all fail give the class of the first, and all messages', async () => {
    const { origin } = await serve((_, response) => response.writeHead(403).end())
    const down = await serve((_, response) => response.writeHead(500).end())
    const { origin: proxyUrl } = await proxy()
    await poll([origin], { readerUrl: down.origin, proxyUrl, proxyToken: 'wrong' })
    expect(await recordOf(origin)).toMatchObject({
      last_class: '403',
      last_error:
        'directly: status 403; by the reader: status 500; by the proxy: the proxy answers 401 unauthorized',
    })
  })

  it('recognise the items of each other', async () => {
    let isBlocked = false
    const { origin } = await serve((_, response) => {
      if (isBlocked) response.writeHead(403).end()
      else response.end(rss(['a', 'c']))
    })
    const { origin: readerUrl } = await reader()
    for (const blocked of [false, true, false, true]) {
      isBlocked = blocked
      await poll([origin], { readerUrl })
      later()
    }
    expect(sent.map(({ item }) => item.link).toSorted()).toEqual([
      'https://example.test/a',
      'https://example.test/b',
      'https://example.test/c',
    ])
  })

  it('reset the count of the breaker', async () => {
    const { origin } = await serve((_, response) => response.writeHead(403).end())
    const { origin: readerUrl } = await reader()
    await poll([origin])
    later()
    expect(await recordOf(origin)).toMatchObject({ error_count: 1 })
    await poll([origin], { readerUrl })
    expect(await recordOf(origin)).toMatchObject({ error_count: 0, last_tier: 'reader' })
  })
})
