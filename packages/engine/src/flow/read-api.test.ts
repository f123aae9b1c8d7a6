import { type FlowSource, flowSource, type JsonObject, StewardError } from '@steward/contract'
import { describe, expect, it } from 'vitest'
import { nextLink } from './pages.ts'
import { readApi } from './read-api.ts'
import { readFeed } from './read-feed.ts'
import type { SourceOf } from './source.ts'
import { createSourceMemory } from './source-memory.ts'

const API = 'https://api.example.com/items'
const START = Date.parse('2026-03-01T12:00:00Z')

interface Asked {
  url: URL
  headers: Headers
  body: unknown
}
type Answer = (asked: Asked) => Response

const apiOf = (source: FlowSource): SourceOf<'api'> => {
  if (source.type === 'api') return source
  throw new Error('this test reads APIs and feeds')
}

/** A service and the runs of one flow against it. A run that is killed commits nothing. */
const follow = (given: JsonObject, answer: Answer) => {
  const rows = new Map<string, string>()
  const requests: string[] = []
  const asked: Asked[] = []
  const clock = { nowMs: START }
  const source = flowSource.parse(given)
  const read = async ({ isKilled = false, isStored = true } = {}) => {
    const memory = createSourceMemory('flow', {
      query: async (sql, [flow, key, state]) => {
        const name = `${flow}/${key}`
        if (!sql.startsWith('SELECT')) rows.set(name, String(state))
        const stored = rows.get(name)
        return stored === undefined ? [] : [{ state: stored }]
      },
      encode: (value) => JSON.stringify(value),
    })
    const errors: StewardError[] = []
    const ports = {
      memory,
      now: () => clock.nowMs,
      report: (error: StewardError) => errors.push(error),
      secret: () => 'k3y',
      fetch: async (input: string | URL | Request, init: RequestInit = {}) => {
        const url = new URL(String(input))
        const call = {
          url,
          headers: new Headers(init.headers),
          body: typeof init.body === 'string' ? JSON.parse(init.body) : undefined,
        }
        asked.push(call)
        const { status } = answer(call)
        requests.push(`${url.pathname}${url.search} ${status}`)
        return answer(call)
      },
    }
    const items = source.type === 'rss' ? readFeed(source, ports) : readApi(apiOf(source), ports)
    const found = await items.catch((thrown: StewardError) => thrown)
    if (!isKilled) await memory.commit(isStored ? [] : [{ payload: null, output: null }])
    const error = found instanceof StewardError ? found : errors[0]
    const ids = found instanceof StewardError ? [] : found.map(({ id }) => id)
    return { ids, error: error && `${error.code}: ${error.message}`, said: requests.splice(0) }
  }
  return { read, clock, asked }
}

const json = (value: unknown, headers: Record<string, string> = {}, status = 200) =>
  new Response(status === 304 ? null : JSON.stringify(value), { status, headers })

const number = (url: URL, name = 'page') => Number(url.searchParams.get(name) ?? 1)

describe('pages', () => {
  const withLinks: Answer = ({ url }) => {
    const page = number(url)
    const next = `<${API}?page=${page + 1}>; rel="next", <${API}?page=1>; rel=first`
    return json([{ id: page * 10 }, { id: page * 10 + 1 }], page < 5 ? { link: next } : {})
  }

  it('follows Link headers up to maxPages, continues there, and starts over at the end', async () => {
    const api = { type: 'api', url: API, pagination: { by: 'link', maxPages: 2 } }
    const { read } = follow(api, withLinks)
    expect(await read()).toMatchObject({ ids: ['10', '11', '20', '21'], error: undefined })
    expect(await read({ isKilled: true })).toMatchObject({ ids: ['30', '31', '40', '41'] })
    expect(await read({ isStored: false })).toMatchObject({ ids: ['30', '31', '40', '41'] })
    expect(await read()).toMatchObject({ ids: ['30', '31', '40', '41'] })
    expect(await read()).toMatchObject({ ids: ['50', '51'] })
    expect(await read()).toMatchObject({ ids: ['10', '11', '20', '21'] })
  })

  it('sends a cursor as query or in the body, and resumes at the last one', async () => {
    const log = [1, 2, 3].map((id) => ({ id }))
    const answer: Answer = ({ url, body }) => {
      const after = Number(url.searchParams.get('after') ?? Object(body).after ?? 0)
      const events = log.filter(({ id }) => id > after).slice(0, 2)
      return json({ events, next: String(events.at(-1)?.id ?? after) })
    }
    const pagination = { by: 'cursor', next: '$.next', parameter: 'after', resume: true }
    const api = { type: 'api', url: API, items: '$.events', pagination }
    const { read } = follow(api, answer)
    expect(await read()).toMatchObject({ ids: ['1', '2', '3'] })
    log.push({ id: 4 })
    expect(await read()).toMatchObject({
      ids: ['4'],
      said: ['/items?after=3 200', '/items?after=4 200'],
    })
    const posted = follow({ ...api, method: 'POST', body: { team: 7 } }, answer)
    expect(await posted.read()).toMatchObject({ ids: ['1', '2', '3', '4'] })
    expect(posted.asked[1]?.body).toEqual({ team: 7, after: '2' })
  })

  it('counts pages until one is empty, and asks each whether it has changed', async () => {
    const pages = new Map([
      [0, 'a'],
      [50, 'b'],
    ])
    const api = {
      type: 'api',
      url: `${API}?per=50`,
      pagination: { by: 'page', parameter: 'offset', first: 0, step: 50 },
    }
    const { read } = follow(api, ({ url, headers }) => {
      const id = pages.get(number(url, 'offset'))
      const etag = `"${id}"`
      if (headers.get('if-none-match') === etag) return json(null, {}, 304)
      return json(id === undefined ? [] : [{ id }], { etag })
    })
    expect(await read()).toMatchObject({ ids: ['a', 'b'] })
    expect(await read()).toEqual({
      ids: [],
      error: undefined,
      said: [0, 50, 100].map((offset) => `/items?per=50&offset=${offset} 304`),
    })
    pages.set(100, 'c')
    expect(await read()).toMatchObject({ ids: ['c'] })
  })

  it('keeps what it has if a page fails, and never sends its key to another server', async () => {
    let isDown = true
    const api = { type: 'api', url: API, headers: { authorization: '${KEY}' } }
    const { read } = follow({ ...api, pagination: { by: 'link' } }, (asked) =>
      isDown && number(asked.url) === 2 ? json({}, {}, 500) : withLinks(asked),
    )
    expect(await read()).toMatchObject({
      ids: ['10', '11'],
      error: expect.stringContaining('status 500'),
    })
    // Its position may have become invalid, so it starts over.
    expect((await read()).said).toEqual(['/items?page=2 500', '/items 200', '/items?page=2 500'])
    isDown = false
    expect((await read()).ids).toEqual(['20', '21', '30', '31', '40', '41', '50', '51'])

    const elsewhere = follow({ ...api, pagination: { by: 'link' } }, () =>
      json([{ id: 1 }], { link: '<https://other.example.com/2>; rel=next' }),
    )
    expect(await elsewhere.read()).toMatchObject({
      error: expect.stringContaining('on another server'),
      said: ['/items 200'],
    })
  })

  it('reads Link headers as servers write them', () => {
    expect(nextLink('<a>; rel="prev next"; title="x, y"')).toBe('a')
    expect(nextLink('<a?x=1,2>; title="next"; rel=last , <b>;rel=NEXT')).toBe('b')
    expect(nextLink('<a>; rel=nextpage')).toBeUndefined()
  })
})

describe('rate limits', () => {
  it.each([
    [429, { 'retry-after': '60' }, 60],
    [403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(START / 1000 + 90) }, 90],
    [429, { ratelimit: '"default";r=0;t=30' }, 30],
  ])('status %i is a pause of the source', async (status, headers, seconds) => {
    let isLimited = true
    const { read, clock } = follow({ type: 'api', url: API }, () =>
      isLimited ? json({}, headers, status) : json([{ id: 1 }]),
    )
    const until = new Date(START + seconds * 1000).toISOString()
    const paused = {
      ids: [],
      error: `rate_limited: ${API} is rate limiting us: retry later, after ${until}`,
    }
    expect(await read()).toMatchObject(paused)
    isLimited = false
    clock.nowMs += seconds * 1000 - 1
    expect(await read()).toEqual({ ...paused, said: [] })
    clock.nowMs += 1
    expect(await read()).toMatchObject({ ids: ['1'], error: undefined })
  })

  it('stops before the limit, and reads the rest afterwards', async () => {
    const api = { type: 'api', url: API, pagination: { by: 'page' } }
    const { read, clock } = follow(api, ({ url }) => {
      const page = number(url)
      const used = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '3600' }
      return json(page > 3 ? [] : [{ id: page }], page === 2 ? used : {})
    })
    expect(await read()).toMatchObject({ ids: ['1', '2'], error: undefined })
    expect(await read()).toMatchObject({ ids: [], said: [] })
    clock.nowMs += 3_600_000
    expect(await read()).toMatchObject({ ids: ['3'] })
  })
})

it('asks a feed whether it has changed, once its items are in the ledger', async () => {
  const feed = JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title: 'T',
    items: [{ id: 'a' }],
  })
  const modified = 'Sun, 01 Mar 2026 10:00:00 GMT'
  const { read } = follow({ type: 'rss', url: 'https://example.com/feed' }, ({ headers }) =>
    headers.get('if-modified-since') === modified
      ? new Response(null, { status: 304 })
      : new Response(feed, { headers: { 'last-modified': modified } }),
  )
  expect(await read({ isKilled: true })).toMatchObject({ ids: ['a'] })
  expect(await read()).toMatchObject({ ids: ['a'] })
  expect(await read()).toEqual({ ids: [], error: undefined, said: ['/feed 304'] })
})
