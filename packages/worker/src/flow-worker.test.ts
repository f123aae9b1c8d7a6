import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { sha256Hex, signWebhook } from '@steward/engine'
import { startVendorStandIn, type VendorStandIn } from '@steward/models/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  actionWorker,
  callMethod,
  flowWorker,
  pipelineWorker,
  type RunningWorkers,
  START_LIMIT_MS,
  startWorkers,
} from '../../edge/src/local/testing/start-workers.ts'
import { type LoopbackServer, serveLoopback } from '../../platform/src/testing/serve-loopback.ts'

/** Stands in for the internet. */
let outside: LoopbackServer
/** Messages that arrived at the address for notifications. */
const notices: string[] = []
const received: { path: string; key: string; body: Record<string, unknown> }[] = []
let feedItems: string[] = []
let outsideStatus = 200
const pagesAsked: string[] = []
/** The path that alone answers with an error. */
let refused: string | undefined
let workers: RunningWorkers
let vendor: VendorStandIn

/** The typed import as `steward new` writes it to USER/lib, inside an action. */
const DECIDE = `${stripTypeScriptTypes(
  readFileSync(join(import.meta.dirname, '../../cli/types/steward.ts'), 'utf8'),
).replaceAll('export const', 'const')}
  progress(context, 1, 2, 'checks')
  if (input.title === 'T dull') filter('not about ice')
  if (input.title === 'T bad') reject('it has no text')
  if (input.title === 'T busy') retryLater('no seats', 7200)
  return {}`

const schedule = { intervalMinutes: 30, enabled: true }
const flow = (name: string, extra: Record<string, unknown> = {}) => ({
  id: name.toLowerCase().replaceAll('_', '-'),
  name,
  source: { type: 'rss', url: `${outside.url}/feed` },
  pipeline: 'P_THREE_STEPS',
  destination: { type: 'api', url: `${outside.url}/take` },
  schedule,
  ...extra,
})

const NO_ENDS = { source: undefined, destination: undefined }
const feedSource = (path: string) => ({ type: 'rss', url: `${outside.url}${path}` })
const apiDestination = (path: string) => ({ type: 'api', url: `${outside.url}${path}` })

beforeAll(async () => {
  outside = await serveLoopback(async (request, response) => {
    const path = request.url ?? ''
    if (path.split('?')[0] === '/feed') {
      const items = feedItems.map(
        (id) =>
          `<item><guid>${id}</guid><title>T ${id}</title><description>About ${id}.</description></item>`,
      )
      response.end(`<rss version="2.0"><channel><title>F</title>${items.join('')}</channel></rss>`)
      return
    }
    if (path === '/api') {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ list: [{ key: request.headers['x-key'], name: 'seven' }] }))
      return
    }
    if (path.startsWith('/pages')) {
      const page = Number(new URL(path, outside.url).searchParams.get('page'))
      const etag = `"page-${page}"`
      const isSame = request.headers['if-none-match'] === etag
      pagesAsked.push(`${page} ${isSame ? 304 : 200}`)
      response.writeHead(isSame ? 304 : 200, { etag })
      response.end(isSame ? '' : JSON.stringify(page > 3 ? [] : [{ id: `p${page}`, title: 'P' }]))
      return
    }
    if (request.method === 'GET') {
      response.statusCode = 404
      response.end()
      return
    }
    let text = ''
    for await (const chunk of request) text += chunk
    if (path === '/notices') {
      notices.push(`${request.headers.title}: ${text}`)
      response.end()
      return
    }
    received.push({ path, key: String(request.headers['idempotency-key']), body: JSON.parse(text) })
    response.statusCode = path === refused ? 500 : outsideStatus
    response.end('{}')
  })
  vendor = await startVendorStandIn()
  const env = {
    ALLOW_PRIVATE_HOSTS: outside.host,
    HOOK_SECRET: 'hook-secret',
    SIGNING_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    API_KEY: 'k-12345',
  }
  const parts = { env, services: ['P_THREE_STEPS'] }
  const loop = { field: 'score', op: 'gte', value: 3, maxIterations: 5 }
  workers = await startWorkers([
    actionWorker('A_ADD_FIRST', 'return { first: input.title ?? "none" }'),
    actionWorker('A_ADD_SECOND', 'return { second: input.first + "!" }'),
    actionWorker('A_ADD_THIRD', 'return { third: input.second.length }'),
    pipelineWorker('P_THREE_STEPS', ['A_ADD_FIRST', 'A_ADD_SECOND', 'A_ADD_THIRD']),
    actionWorker(
      'A_ADD_SCORE',
      'return { score: (input.previousResult?.score ?? 0) + 1, seen: input.iteration }',
    ),
    pipelineWorker('P_ADD_SCORE', ['A_ADD_SCORE']),
    actionWorker(
      'A_SEND_EMAIL',
      `const { content, ...mail } = input
       const body = JSON.stringify({ ...mail, run: context.trace.runId })
       await context.capabilities.fetch('${outside.url}/mail', { method: 'POST', body })
       return { success: true, message_id: 'm' }`,
      { requires: ['fetch'] },
      env,
    ),
    actionWorker(
      'A_ASK_MODEL',
      'return { said: (await context.capabilities.llm(input.content)).text }',
      { requires: ['llm'] },
      { LLM_API_KEY: 'sk-test-0123456789', LLM_PROVIDER: 'anthropic', LLM_BASE_URL: vendor.url },
    ),
    pipelineWorker('P_ASK_MODEL', ['A_ASK_MODEL']),
    pipelineWorker('P_SOME_ITEMS', ['A_ADD_FIRST', { when: 'first != "T b"' }, 'A_ADD_SECOND']),
    flowWorker(flow('F_RSS_SOME', { pipeline: 'P_SOME_ITEMS' }), {
      env,
      services: ['P_SOME_ITEMS'],
    }),
    flowWorker(flow('F_RSS_PAID', { pipeline: 'P_ASK_MODEL', budgetUsd: 1e-9, concurrency: 1 }), {
      env,
      services: ['P_ASK_MODEL'],
    }),
    flowWorker(flow('F_RSS_API'), parts),
    flowWorker(flow('F_RSS_DAY', { pipeline: 'P_ASK_MODEL' }), { env, services: ['P_ASK_MODEL'] }),
    flowWorker(flow('F_RSS_BUSY', { pipeline: 'P_ASK_MODEL' }), { env, services: ['P_ASK_MODEL'] }),
    flowWorker(
      flow('F_MANY_ENDS', {
        ...NO_ENDS,
        sources: [feedSource('/feed'), feedSource('/no-feed'), feedSource('/feed?other')],
        filter: 'title != "T c"',
        with: { from: 'the flow' },
        destinations: [apiDestination('/take'), apiDestination('/other')],
      }),
      parts,
    ),
    flowWorker(
      flow('F_EDGE_DIGEST', {
        ...NO_ENDS,
        source: feedSource('/feed'),
        digest: { title: '{count} on {date}', order: 'title desc', maxItems: 2, window: 'day' },
        destinations: [{ type: 'email', address: 'a@example.org' }, apiDestination('/take')],
      }),
      { env, services: ['P_THREE_STEPS', 'A_SEND_EMAIL'] },
    ),
    flowWorker(flow('F_RSS_LOST'), parts),
    flowWorker(flow('F_RSS_TOLD'), {
      ...parts,
      env: { ...env, NOTIFY_URL: `${outside.url}/notices` },
    }),
    flowWorker(flow('F_RSS_OLD'), parts),
    flowWorker(
      flow('F_RSS_DATABASE', { destination: { type: 'database', table: 'results' } }),
      parts,
    ),
    flowWorker(flow('F_RSS_FILE', { destination: { type: 'file', path: './digest.md' } }), parts),
    flowWorker(flow('F_RSS_EMAIL', { destination: { type: 'email', address: 'a@example.org' } }), {
      env,
      services: ['P_THREE_STEPS', 'A_SEND_EMAIL'],
    }),
    flowWorker(
      flow('F_RSS_DISABLED', { schedule: { intervalMinutes: 30, enabled: false } }),
      parts,
    ),
    flowWorker(flow('F_RSS_ODD', { schedule: { intervalMinutes: 45, enabled: true } }), parts),
    flowWorker(flow('F_LOOP_PASSES', { pipeline: 'P_ADD_SCORE', loop }), {
      env,
      services: ['P_ADD_SCORE'],
    }),
    flowWorker(flow('F_LOOP_CAPPED', { pipeline: 'P_ADD_SCORE', loop: { ...loop, value: 99 } }), {
      env,
      services: ['P_ADD_SCORE'],
    }),
    flowWorker(
      flow('F_API_API', {
        source: {
          type: 'api',
          url: `${outside.url}/api`,
          items: '$.list',
          id: '$.key',
          title: '$.name',
          headers: { 'x-key': '${API_KEY}' },
        },
      }),
      parts,
    ),
    flowWorker(flow('F_FILE_API', { source: { type: 'file', path: 'texts' } }), {
      ...parts,
      assets: { files: { 'texts/b.txt': 'Bee', 'texts/a-note.md': 'Ay', 'texts/.hidden': 'no' } },
    }),
    flowWorker(flow('F_INLINE_FEED', { source: { type: 'rss', url: 'feed.xml' } }), {
      ...parts,
      assets: {
        files: {
          'feed.xml':
            '<rss version="2.0"><channel><item><guid>in</guid><title>In</title></item></channel></rss>',
        },
      },
    }),
    flowWorker(flow('F_HOOK_API', { source: { type: 'webhook', secret: 'HOOK_SECRET' } }), parts),
    flowWorker(flow('F_HOOK_UNSET', { source: { type: 'webhook', secret: 'NOT_SET' } }), parts),
    flowWorker(
      flow('F_PAGES_STORE', {
        source: {
          type: 'api',
          url: `${outside.url}/pages`,
          pagination: { by: 'page', maxPages: 2 },
        },
        destination: {
          type: 's3',
          endpoint: outside.url,
          bucket: 'bucket',
          accessKeyId: 'API_KEY',
          secretAccessKey: 'HOOK_SECRET',
        },
      }),
      parts,
    ),
    flowWorker(
      flow('F_RSS_SIGNED', {
        destination: { type: 'webhook', url: `${outside.url}/event`, secret: 'SIGNING_SECRET' },
      }),
      parts,
    ),
    flowWorker(flow('F_FOLDER_API', { source: { type: 'folder', path: 'x' } }), parts),
    actionWorker('A_DECIDE_ITEM', DECIDE),
    pipelineWorker('P_DECIDE_ITEM', ['A_DECIDE_ITEM', 'A_ADD_FIRST']),
    flowWorker(flow('F_RSS_DECIDED', { pipeline: 'P_DECIDE_ITEM' }), {
      env,
      services: ['P_DECIDE_ITEM'],
    }),
    flowWorker(flow('F_UNBOUND_API'), { env }),
    flowWorker(flow('F_RSS_GIVEN', { with: { language: 'en' } }), {
      ...parts,
      assets: { takes: { declared: { language: { type: 'string' } }, read: ['page'] } },
    }),
    flowWorker(flow('F_RSS_MANY', { concurrency: 16 }), parts),
  ])
}, START_LIMIT_MS)
afterAll(async () => {
  await workers.stop()
  await Promise.all([outside.close(), vendor.close()])
})
beforeEach(() => {
  received.length = 0
  notices.length = 0
  feedItems = []
  outsideStatus = 200
  refused = undefined
})

const at = new Date('2026-11-15T10:30:00Z')
const fire = (name: string, scheduledTime: Date = at) => workers.fire(name, scheduledTime)
const readRows = async (worker: string, binding: string, sql: string) => {
  const statement = await workers.ask(worker, 'd1', binding, 'prepare', sql)
  return z.looseObject({ results: z.array(z.unknown()) }).parse(await callMethod(statement, 'all'))
    .results
}
const statusShape = z.looseObject({
  state: z
    .looseObject({ lastRun: z.looseObject({ outcome: z.string(), reason: z.string() }) })
    .nullable(),
})
const statusOf = async (name: string) =>
  statusShape.parse(await (await workers.call(name, '/status')).json()).state
const openOf = async (name: string) => (await (await workers.call(name, '/status')).json()).open
const NONE_OPEN = { waiting: 0, failing: 0, givenUp: 0, rejected: 0 }
const itemsOf = async (name: string, query = '') =>
  z
    .looseObject({ items: z.array(z.unknown()) })
    .parse(await (await workers.call(name, `/items${query}`)).json()).items
const lastRun = async (name: string) => (await statusOf(name))?.lastRun
/** `/trigger` continues after its response; the state shows its end. */
const settled = async (name: string, runId: unknown) => {
  for (;;) {
    const run = await lastRun(name)
    if (run?.runId === runId) return run
    await new Promise((resolve) => setImmediate(resolve))
  }
}

describe('scheduled()', () => {
  it('runs each new item through three actions and delivers every field, once', async () => {
    feedItems = ['a', 'b']
    expect(await fire('F_RSS_API')).toMatchObject({ outcome: 'ok' })
    expect(
      received
        .map(({ body }) => body)
        .toSorted((x, y) => (String(x.item) < String(y.item) ? -1 : 1)),
    ).toEqual([
      {
        flow: 'F_RSS_API',
        item: 'a',
        title: 'T a',
        output: {
          content: 'T a\n\nAbout a.',
          title: 'T a',
          first: 'T a',
          second: 'T a!',
          third: 4,
        },
      },
      expect.objectContaining({ item: 'b' }),
    ])
    expect(new Set(received.map(({ key }) => key)).size).toBe(2)
    expect(await lastRun('F_RSS_API')).toMatchObject({
      outcome: 'delivered',
      startedAt: at.toISOString(),
      items: { found: 2, delivered: 2, alreadySeen: 0 },
    })
    feedItems = ['a', 'b', 'c']
    await fire('F_RSS_API')
    expect(received).toHaveLength(3)
    expect(await lastRun('F_RSS_API')).toMatchObject({
      items: { found: 3, delivered: 1, alreadySeen: 2 },
    })
  })

  it('reads several sources and delivers to several destinations, each once', async () => {
    const name = 'F_MANY_ENDS'
    const paths = () => received.map(({ path, body }) => `${path} ${body.title}`).toSorted()
    feedItems = ['https://example.com/a', 'b', 'c']
    refused = '/other'
    await fire(name)
    const reason = expect.stringContaining('1 source could not be read')
    expect(await lastRun(name)).toMatchObject({
      outcome: 'partial',
      reason,
      items: { found: 6, waiting: 3, filtered: 2, partlyDelivered: 3 },
    })
    const [item] = await itemsOf(name, '?state=waiting')
    expect(item).toMatchObject({
      deliveries: expect.arrayContaining([
        expect.objectContaining({ destination: '1 api', state: 'delivered' }),
        expect.objectContaining({ destination: '2 api', state: 'waiting' }),
      ]),
    })
    received.length = 0
    refused = undefined
    await fire(name, new Date(at.getTime() + 3_600_000))
    // An address is one article in both feeds; `b` is one of each.
    expect(paths()).toEqual(['/other T b', '/other T b', '/other T https://example.com/a'])
    const fromFlow = expect.objectContaining({ from: 'the flow' })
    expect(received[0]?.body.output).toEqual(fromFlow)
    received.length = 0
    await fire(name, new Date(at.getTime() + 7_200_000))
    expect(received).toEqual([])
    feedItems.push('urn:d')
    const body = JSON.stringify({ from: 'a person' })
    const answer = await workers.call(name, '/trigger', { method: 'POST', body })
    const { run_id: runId } = z.looseObject({ run_id: z.string() }).parse(await answer.json())
    expect(await settled(name, runId)).toMatchObject({ items: { delivered: 1 } })
    expect(received[0]?.body.output).toMatchObject({ from: 'a person' })
  })

  it('sends one digest a day to each destination, with the rest in the next one', async () => {
    const name = 'F_EDGE_DIGEST'
    const later = (hours: number) => new Date(at.getTime() + hours * 3_600_000)
    feedItems = ['a', 'b', 'c']
    await fire(name)
    expect(await lastRun(name)).toMatchObject({ outcome: 'nothing-new', items: { collected: 3 } })
    expect(received).toEqual([])
    refused = '/take'
    await fire(name, later(14))
    expect(await lastRun(name)).toMatchObject({
      outcome: 'partial',
      items: { waiting: 2, partlyDelivered: 2, collected: 1 },
    })
    refused = undefined
    received.length = 0
    await fire(name, later(15))
    expect(await lastRun(name)).toMatchObject({ items: { delivered: 2, collected: 1 } })
    expect(received.map(({ path, body }) => [path, body.title])).toEqual([
      ['/take', '2 on 2026-11-16'],
    ])
    received.length = 0
    await fire(name, later(38))
    const sent = received.map(({ path, body }) => `${path} ${body.title ?? body.subject}`)
    expect(sent.toSorted()).toEqual(['/mail 1 on 2026-11-17', '/take 1 on 2026-11-17'])
    const states = await readRows(
      name,
      'ITEMS_DB',
      "SELECT DISTINCT state FROM flow_items WHERE flow = 'f-edge-digest'",
    )
    expect(states).toEqual([{ state: 'delivered' }])
  })

  it('drops the items that a condition of the pipeline filters, for good', async () => {
    feedItems = ['a', 'b', 'c']
    await fire('F_RSS_SOME')
    expect(received.map(({ body }) => body.item)).toEqual(['a', 'c'])
    expect(await lastRun('F_RSS_SOME')).toMatchObject({
      outcome: 'delivered',
      items: { delivered: 2, filtered: 1, rejected: 0 },
    })
    expect(await itemsOf('F_RSS_SOME', '?state=filtered')).toMatchObject([{ id: 'b' }])
    await fire('F_RSS_SOME')
    expect(received).toHaveLength(2)
  })

  it('continues with the pages of an API, asks whether they changed, and uploads to a store', async () => {
    for (let run = 0; run < 4; run++) await fire('F_PAGES_STORE')
    expect(pagesAsked).toEqual([
      '1 200',
      '2 200',
      '3 200',
      '4 200',
      '1 304',
      '2 304',
      '3 304',
      '4 304',
    ])
    expect(received.map(({ path, body }) => [path.slice(0, 8), body.item])).toEqual([
      ['/bucket/', 'p1'],
      ['/bucket/', 'p2'],
      ['/bucket/', 'p3'],
    ])
    expect(await lastRun('F_PAGES_STORE')).toMatchObject({
      outcome: 'nothing-new',
      reason: 'the source has no new items',
    })
  })

  it('signs events, and refuses what needs the machine of the user', async () => {
    feedItems = ['signed']
    await fire('F_RSS_SIGNED')
    expect(received).toMatchObject([{ path: '/event', body: { data: { item: 'signed' } } }])
    const response = await workers.call('F_FOLDER_API', '/trigger', { method: 'POST' })
    expect(await response.text()).toContain('the folder source is not available')
  })

  it('settles items as their action decides with the typed import', async () => {
    feedItems = ['good', 'dull', 'bad', 'busy']
    await fire('F_RSS_DECIDED')
    expect(received.map(({ body }) => body.item)).toEqual(['good'])
    expect(await lastRun('F_RSS_DECIDED')).toMatchObject({
      items: { delivered: 1, filtered: 1, rejected: 1, failed: 1 },
      errors: [
        { item: 'bad', code: 'rejected_content', message: 'it has no text' },
        { item: 'busy', code: 'upstream_failed', message: 'no seats' },
      ],
    })
  })

  it('keeps items while the destination is down for a day, then delivers them in order', async () => {
    outsideStatus = 503
    const hours = Array.from({ length: 24 }, (_, hour) => hour)
    for (const hour of hours) {
      // A feed that shows only its latest items.
      feedItems = [`h${hour}`]
      await fire('F_RSS_DAY', new Date(at.getTime() + hour * 3_600_000))
    }
    expect(await lastRun('F_RSS_DAY')).toMatchObject({
      outcome: 'partial',
      items: { delivered: 0, waiting: 24 },
    })
    const before = vendor.calls.length
    outsideStatus = 200
    received.length = 0
    await fire('F_RSS_DAY', new Date(at.getTime() + 26 * 3_600_000))
    expect(received.map(({ body }) => body.item)).toEqual(hours.map((hour) => `h${hour}`))
    expect(vendor.calls.length).toBe(before)
    expect(vendor.calls.filter(({ prompt }) => prompt.includes('About h0.'))).toHaveLength(1)
    expect(await statusOf('F_RSS_DAY')).toMatchObject({ consecutiveFailures: 0 })
  })

  it('waits as long as a model vendor asks for', async () => {
    feedItems = ['busy']
    vendor.script({ status: 429, headers: { 'retry-after': '7200' } })
    await fire('F_RSS_BUSY')
    const [item] = z
      .array(z.looseObject({ nextAttemptAt: z.string() }))
      .parse(await itemsOf('F_RSS_BUSY'))
    expect(item).toMatchObject({ state: 'found', attempts: 1 })
    const waitMs = Date.parse(item?.nextAttemptAt ?? '') - at.getTime()
    expect(waitMs / 60_000).toBeCloseTo(120, 0)
    const before = vendor.calls.length
    await fire('F_RSS_BUSY', new Date(at.getTime() + 119 * 60_000))
    expect(vendor.calls.length).toBe(before)
    await fire('F_RSS_BUSY', new Date(at.getTime() + 121 * 60_000))
    expect(received).toMatchObject([{ body: { item: 'busy' } }])
  })

  it('gives items up after 7 days, and delivers them when asked', async () => {
    outsideStatus = 500
    feedItems = ['x', 'y']
    for (let day = 0; day <= 8; day++) {
      await fire('F_RSS_LOST', new Date(at.getTime() + day * 86_400_000))
    }
    expect(await itemsOf('F_RSS_LOST')).toMatchObject([
      { id: 'y', state: 'given-up', nextAttemptAt: null },
      { id: 'x', state: 'given-up', error: expect.stringContaining('status 500') },
    ])
    expect(await lastRun('F_RSS_LOST')).toMatchObject({
      outcome: 'partial',
      items: { givenUp: 2 },
    })
    expect(await openOf('F_RSS_LOST')).toEqual({ ...NONE_OPEN, givenUp: 2 })
    expect(new Set(received.map(({ key }) => key)).size).toBe(2)
    outsideStatus = 200
    received.length = 0
    const response = await workers.call('F_RSS_LOST', '/retry', { method: 'POST', body: '{}' })
    expect(response.status).toBe(202)
    await settled('F_RSS_LOST', (await response.json()).run_id)
    expect(received.map(({ body }) => body.item)).toEqual(['x', 'y'])
    expect(await itemsOf('F_RSS_LOST')).toMatchObject([
      { state: 'delivered', error: null },
      { state: 'delivered' },
    ])
    expect(await openOf('F_RSS_LOST')).toEqual(NONE_OPEN)
    const again = await workers.call('F_RSS_LOST', '/retry', { method: 'POST', body: '{}' })
    expect(again.status).toBe(404)
  })

  it('notifies once when it begins to fail, gives items up, or is blocked', async () => {
    const fireOn = (day: number) => fire('F_RSS_TOLD', new Date(at.getTime() + day * 86_400_000))
    outsideStatus = 500
    feedItems = ['x']
    for (let day = 0; day <= 9; day++) await fireOn(day)
    outsideStatus = 401
    feedItems = ['z']
    await fireOn(10)
    await fireOn(11)
    expect(notices).toEqual([
      expect.stringMatching(/^F_RSS_TOLD: F_RSS_TOLD delivered nothing: .*status 500/),
      expect.stringMatching(/^F_RSS_TOLD: F_RSS_TOLD gave up "T x": .*status 500.*POST \/retry/),
      expect.stringMatching(/^F_RSS_TOLD: F_RSS_TOLD is blocked: .*status 401/),
    ])
  })

  it('is blocked by a wrong destination without counting attempts', async () => {
    outsideStatus = 401
    feedItems = ['k']
    await fire('F_RSS_LOST')
    expect(await statusOf('F_RSS_LOST')).toMatchObject({ blocked: { code: 'not_configured' } })
    expect(await itemsOf('F_RSS_LOST', '?state=waiting')).toMatchObject([{ id: 'k', attempts: 0 }])
    outsideStatus = 200
    await fire('F_RSS_LOST')
    expect(await statusOf('F_RSS_LOST')).toMatchObject({ blocked: null })
  })

  it('delivers nothing again that an older version noted in KV', async () => {
    const key = `seen:f-rss-old:${sha256Hex('known')}`
    const record = { status: 'delivered', attempts: 1, runId: 'r', at: at.toISOString() }
    await workers.ask('F_RSS_OLD', 'kv', 'SEEN_ITEMS', 'put', key, JSON.stringify(record))
    feedItems = ['known', 'new']
    await fire('F_RSS_OLD')
    expect(received.map(({ body }) => body.item)).toEqual(['new'])
  })

  it('writes rows, objects and mail', async () => {
    feedItems = ['x']
    for (const name of ['F_RSS_DATABASE', 'F_RSS_FILE', 'F_RSS_EMAIL']) {
      await fire(name)
      expect(await lastRun(name)).toMatchObject({ outcome: 'delivered' })
    }
    expect(received).toEqual([
      expect.objectContaining({
        path: '/mail',
        body: {
          to: 'a@example.org',
          subject: '[F_RSS_EMAIL] T x',
          body: '## T x\n\nT x\n\nAbout x.',
          run: expect.stringMatching(/^[0-9a-f]{32}$/),
        },
      }),
    ])
    const rows = await readRows('F_RSS_DATABASE', 'FLOW_DB', 'SELECT * FROM results')
    expect(rows).toMatchObject([{ flow: 'F_RSS_DATABASE', item: 'x', title: 'T x' }])
    const files = await workers.ask('F_RSS_FILE', 'r2', 'FLOW_FILES', 'list')
    const { objects } = z.object({ objects: z.array(z.object({ key: z.string() })) }).parse(files)
    expect(objects.map(({ key }) => key)).toEqual([
      expect.stringMatching(/^digest\.md\/[0-9a-f]{32}\.md$/),
    ])
    const object = await workers.ask('F_RSS_FILE', 'r2', 'FLOW_FILES', 'get', objects[0]?.key)
    const text = await callMethod(object, 'text')
    expect(text).toBe('## T x\n\nT x\n\nAbout x.\n')
  })

  it('reads APIs with secrets in headers, and bundled files', async () => {
    await fire('F_API_API')
    expect(received).toMatchObject([{ body: { item: 'k-12345', title: 'seven' } }])
    received.length = 0
    await fire('F_FILE_API')
    expect(received.map(({ body }) => body.title).toSorted()).toEqual(['a note', 'b'])
    received.length = 0
    await fire('F_INLINE_FEED')
    expect(received).toMatchObject([{ body: { item: 'in', title: 'In' } }])
  })

  it('does nothing for a disabled flow', async () => {
    feedItems = ['a']
    expect(await fire('F_RSS_DISABLED')).toMatchObject({ outcome: 'ok' })
    expect([received, await statusOf('F_RSS_DISABLED')]).toEqual([[], null])
  })

  it('runs only at due ticks if cron cannot express the interval', async () => {
    const ticks = [0, 15, 30, 45, 60, 75, 90].map(
      (minutes) => new Date(Date.UTC(2026, 10, 15, 0, minutes)),
    )
    for (const tick of ticks) await fire('F_RSS_ODD', tick)
    expect(await statusOf('F_RSS_ODD')).toMatchObject({ runs: 3 })
  })

  it('stops a loop at the criterion; at the cap it rejects the item, and the cron run fails', async () => {
    feedItems = ['l']
    await fire('F_LOOP_PASSES')
    expect(received).toMatchObject([{ body: { output: { score: 3, seen: 2 } } }])
    received.length = 0
    expect(await fire('F_LOOP_CAPPED')).toMatchObject({ outcome: 'exception' })
    expect(received).toEqual([])
    expect(await lastRun('F_LOOP_CAPPED')).toMatchObject({
      outcome: 'failed',
      items: { rejected: 1 },
      reason: expect.stringContaining('score gte 99 was not met after 5 iterations'),
    })
  })

  it('spends on models within its daily budget, and reports the amount', async () => {
    feedItems = ['p', 'q', 'r']
    const before = vendor.calls.length
    await fire('F_RSS_PAID')
    expect(await lastRun('F_RSS_PAID')).toMatchObject({
      items: { delivered: 1, postponed: 2 },
      errors: [{ code: 'budget_exceeded' }, { code: 'budget_exceeded' }],
      spend: { calls: 1, models: ['claude-haiku-5-5'] },
    })
    await fire('F_RSS_PAID')
    expect(await lastRun('F_RSS_PAID')).toMatchObject({ items: { delivered: 0, postponed: 2 } })
    await fire('F_RSS_PAID', new Date(at.getTime() + 86_400_000))
    expect(await lastRun('F_RSS_PAID')).toMatchObject({ items: { delivered: 1, postponed: 1 } })
    expect(vendor.calls.length - before).toBe(2)
  })

  it('records in its state why nothing was delivered', async () => {
    await fire('F_RSS_API')
    expect(await lastRun('F_RSS_API')).toMatchObject({ reason: 'the source has no new items' })
  })

  it('leaves items for the next run if its subrequests are not enough', async () => {
    feedItems = Array.from({ length: 500 }, (_, index) => `m${index}`)
    await fire('F_RSS_MANY')
    const first = await lastRun('F_RSS_MANY')
    expect(first).toMatchObject({ outcome: 'delivered' })
    const { delivered, postponed } = z
      .object({ delivered: z.number(), postponed: z.number() })
      .parse(first?.items)
    expect(delivered).toBeGreaterThan(300)
    expect(delivered + postponed).toBe(500)
    await fire('F_RSS_MANY')
    expect(await lastRun('F_RSS_MANY')).toMatchObject({
      items: { delivered: postponed, postponed: 0 },
    })
    expect(new Set(received.map(({ body }) => body.item)).size).toBe(500)
    expect(received).toHaveLength(500)
  })
})

describe('requests', () => {
  it('starts at once and returns the run', async () => {
    feedItems = ['t']
    const response = await workers.call('F_RSS_API', '/trigger', { method: 'POST' })
    const body = await response.json()
    expect([response.status, body]).toEqual([
      202,
      { success: true, message: 'F_RSS_API was started', run_id: expect.any(String) },
    ])
    expect(await settled('F_RSS_API', body.run_id)).toMatchObject({ items: { delivered: 1 } })
  })

  it('works on a given item alone, overrides `with`, and refuses unknown fields', async () => {
    const name = 'F_RSS_GIVEN'
    const give = async (input: Record<string, unknown>) => {
      const init = { method: 'POST', body: JSON.stringify(input) }
      const response = await workers.call(name, '/trigger', init)
      return [response.status, await response.json()] as const
    }
    feedItems = ['x']
    expect(await give({ langauge: 'de', title: 'T' })).toEqual([
      400,
      expect.objectContaining({ error: expect.stringContaining('did you mean language?') }),
    ])
    const [, { run_id: runId }] = await give({ title: 'By hand', page: 3, language: 'de' })
    expect(await settled(name, runId)).toMatchObject({ items: { found: 1, delivered: 1 } })
    expect(received.map(({ body }) => body)).toMatchObject([
      { item: `input-${runId}`, output: { first: 'By hand', page: 3, language: 'de' } },
    ])
    const [, { run_id: next }] = await give({ language: 'it' })
    expect(await settled(name, next)).toMatchObject({ items: { found: 1, delivered: 1 } })
    expect(received[1]?.body).toMatchObject({ item: 'x', output: { language: 'it' } })
  })

  it('refuses to start a disabled flow unless forced', async () => {
    const refused = await workers.call('F_RSS_DISABLED', '/trigger', { method: 'POST' })
    expect([refused.status, await refused.json()]).toEqual([
      409,
      expect.objectContaining({ code: 'flow_disabled' }),
    ])
    const forced = await workers.call('F_RSS_DISABLED', '/trigger?force=1', { method: 'POST' })
    expect(forced.status).toBe(202)
    await settled('F_RSS_DISABLED', (await forced.json()).run_id)
  })

  it('supports its paths and their methods', async () => {
    const ask = async (method: string, path: string) =>
      (await workers.call('F_RSS_API', path, { method })).status
    expect(await ask('GET', '/nothing')).toBe(404)
    expect(await ask('POST', '/')).toBe(404)
    expect(await ask('POST', '/webhook')).toBe(404)
    expect(await ask('GET', '/constructor')).toBe(404)
    expect(await ask('GET', '/trigger')).toBe(405)
    expect(await ask('POST', '/status')).toBe(405)
    for (const [method, path] of [
      ['POST', '/trigger'],
      ['GET', '/status'],
      ['GET', '/x'],
      ['HEAD', '/health'],
    ]) {
      const response = await workers.call('F_RSS_API', path ?? '', {
        method: method ?? '',
        token: 'no',
      })
      expect(response.status).toBe(401)
    }
  })

  it('has a minimal public health', async () => {
    const response = await workers.call('F_RSS_API', '/health', { token: null })
    expect(await response.json()).toEqual({
      status: 'ok',
      flow: 'F_RSS_API',
      timestamp: expect.any(String),
    })
  })

  it('reports a missing binding before any work starts', async () => {
    const response = await workers.call('F_UNBOUND_API', '/trigger', { method: 'POST' })
    expect([response.status, await response.json()]).toEqual([
      502,
      expect.objectContaining({
        code: 'binding_missing',
        error: expect.stringContaining('P_THREE_STEPS'),
      }),
    ])
    expect(await fire('F_UNBOUND_API')).toMatchObject({ outcome: 'exception' })
  })
})

describe('webhooks', () => {
  const send = async (name: string, body: string, signature?: string) => {
    const headers: Record<string, string> =
      signature === undefined ? {} : { 'x-signature-256': signature }
    return workers.call(name, '/webhook', { method: 'POST', body, headers, token: null })
  }

  it('accepts signed calls without a token, and processes them once', async () => {
    const body = JSON.stringify({ id: 'w1', title: 'Hook', content: 'text' })
    const signature = await signWebhook('hook-secret', body)
    for (let time = 0; time < 2; time++) {
      const response = await send('F_HOOK_API', body, signature)
      expect(response.status).toBe(202)
      await settled('F_HOOK_API', (await response.json()).run_id)
    }
    expect(received).toMatchObject([{ body: { item: 'w1', output: { first: 'Hook' } } }])
  })

  it('returns 401 for everything else', async () => {
    const body = '{"id":"w2"}'
    expect((await send('F_HOOK_API', body)).status).toBe(401)
    expect((await send('F_HOOK_API', body, await signWebhook('other', body))).status).toBe(401)
    expect(
      (await send('F_HOOK_API', `${body} `, await signWebhook('hook-secret', body))).status,
    ).toBe(401)
    const unset = await send('F_HOOK_UNSET', body, await signWebhook('x', body))
    expect([unset.status, await unset.text()]).toEqual([
      401,
      expect.not.stringContaining('NOT_SET'),
    ])
    expect((await workers.call('F_HOOK_API', '/webhook', { token: null })).status).toBe(401)
    expect(received).toEqual([])
  })

  it('reports what is wrong with a signed body', async () => {
    const bad = async (body: string) =>
      (await send('F_HOOK_API', body, await signWebhook('hook-secret', body))).status
    expect([await bad('{"id":'), await bad('"text"')]).toEqual([400, 400])
  })

  it('keeps the items of a call until they are delivered', async () => {
    outsideStatus = 500
    const body = '{"id":"w3"}'
    const response = await send('F_HOOK_API', body, await signWebhook('hook-secret', body))
    await settled('F_HOOK_API', (await response.json()).run_id)
    expect(await pendingOf()).toEqual([])
    expect(await itemsOf('F_HOOK_API', '?state=waiting')).toMatchObject([{ id: 'w3' }])
    outsideStatus = 200
    const again = await workers.call('F_HOOK_API', '/trigger', { method: 'POST' })
    expect(await settled('F_HOOK_API', (await again.json()).run_id)).toMatchObject({
      outcome: 'delivered',
    })
    expect(received.map(({ body }) => body.item)).toEqual(['w3', 'w3'])
  })

  const pendingOf = async () => {
    const listed = await workers.ask('F_HOOK_API', 'kv', 'FLOW_STATE', 'list', {
      prefix: 'webhook:',
    })
    return z.looseObject({ keys: z.array(z.unknown()) }).parse(listed).keys
  }
})

it('keeps secrets out of its log', () => {
  expect(workers.logs.join('')).not.toMatch(/hook-secret|k-12345/)
  expect(workers.logs.join('')).toContain('"flow":"F_RSS_API"')
})
