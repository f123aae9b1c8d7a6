import { CLAIM_MS } from '@steward/engine'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import {
  actionWorker,
  callMethod,
  flowWorker,
  pipelineWorker,
  type RunningWorkers,
  START_LIMIT_MS,
  startWorkers,
} from '../../../edge/src/local/testing/start-workers.ts'
import { type LoopbackServer, serveLoopback } from '../../../platform/src/testing/serve-loopback.ts'

let outside: LoopbackServer
let workers: RunningWorkers
const received: Record<string, unknown>[] = []
/** Items of each feed by its path; a number is the status to respond with. */
const feeds = new Map<string, string[] | number>()
const requests: { path: string; etag: string | undefined }[] = []

const schedule = { intervalMinutes: 5, enabled: true }
const T0 = Date.UTC(2026, 10, 15, 10, 0)
const minutes = (count: number) => new Date(T0 + count * 60_000)

beforeAll(async () => {
  outside = await serveLoopback(async (request, response) => {
    const path = request.url ?? ''
    const items = feeds.get(path)
    if (path === '/take') {
      let text = ''
      for await (const chunk of request) text += chunk
      received.push(JSON.parse(text))
      response.end()
      return
    }
    requests.push({ path, etag: request.headers['if-none-match'] })
    if (items === undefined || typeof items === 'number') {
      response.writeHead(items ?? 404).end()
      return
    }
    const etag = `"${items.length}"`
    if (request.headers['if-none-match'] === etag) {
      response.writeHead(304).end()
      return
    }
    response.setHeader('etag', etag)
    const body = items.map((id) => `<item><guid>${id}</guid><title>T ${id}</title></item>`)
    response.end(`<rss version="2.0"><channel><title>F</title>${body.join('')}</channel></rss>`)
  })
  const env = { ALLOW_PRIVATE_HOSTS: outside.host }
  const queues = ['feed-items', 'results', 'passed-on', 'stuck']
  const queueProducers = Object.fromEntries(
    queues.map((name) => [name.toUpperCase().replaceAll('-', '_'), { queueName: name }]),
  )
  const consume = (queue: string) => ({
    queueProducers,
    queueConsumers: { [queue]: { maxBatchSize: 100, maxBatchTimeout: 0, maxRetries: 1 } },
  })
  const take = { type: 'api', url: `${outside.url}/take` }
  workers = await startWorkers([
    actionWorker(
      'A_RATE_ITEM',
      `if (input.title === "T bad") throw new Error("not now")
       return { rating: "A", quality_score: 80, labels: ["ice"], one_sentence_summary: input.title }`,
    ),
    pipelineWorker('P_RATE_ITEM', ['A_RATE_ITEM']),
    { name: 'CLOCK', entry: `export default { fetch: () => new Response('${T0}') }` },
    {
      name: 'CONSUMER_START',
      entry: `export default { fetch: () => new Response('${T0 - 60_000}') }`,
    },
    flowWorker(
      {
        id: 'poller',
        name: 'F_FEEDS_POLLER',
        source: { type: 'feeds' },
        destination: { type: 'queue', queue: 'feed-items' },
        schedule,
      },
      {
        env,
        assets: {
          feeds: ['/one', '/two', '/gone'].map((path) => ({ url: `${outside.url}${path}` })),
        },
        options: { queueProducers },
      },
    ),
    flowWorker(
      {
        id: 'processor',
        name: 'F_FEEDS_PROCESSOR',
        source: { type: 'queue', queue: 'feed-items' },
        pipeline: 'P_RATE_ITEM',
        destination: { type: 'database', table: 'feed_items' },
        schedule,
      },
      { env, services: ['P_RATE_ITEM', 'CLOCK', 'CONSUMER_START'], options: consume('feed-items') },
    ),
    flowWorker(
      {
        id: 'producer',
        name: 'F_RSS_QUEUE',
        source: { type: 'rss', url: `${outside.url}/one` },
        pipeline: 'P_RATE_ITEM',
        destination: { type: 'queue', queue: 'results' },
        schedule,
      },
      { env, services: ['P_RATE_ITEM'], options: { queueProducers } },
    ),
    flowWorker(
      {
        id: 'bare',
        name: 'F_BARE_QUEUE',
        source: { type: 'rss', url: `${outside.url}/two` },
        destination: { type: 'queue', queue: 'passed-on' },
        schedule,
      },
      { env, options: { queueProducers } },
    ),
    ...['results', 'passed-on'].map((queue) =>
      flowWorker(
        {
          id: `taker-${queue}`,
          name: `F_TAKE_${queue.toUpperCase().replaceAll('-', '_')}`,
          source: { type: 'queue', queue },
          pipeline: 'P_RATE_ITEM',
          destination: take,
          schedule,
        },
        { env, services: ['P_RATE_ITEM'], options: consume(queue) },
      ),
    ),
  ])
}, START_LIMIT_MS)
afterAll(async () => {
  await workers.stop()
  await outside.close()
})
beforeEach(() => {
  received.length = 0
  requests.length = 0
})

const rowsShape = z.looseObject({ results: z.array(z.looseObject({ item_id: z.string() })) })
const readItems = async () => {
  const sql = 'SELECT * FROM feed_items ORDER BY item_id'
  const statement = await workers.ask('F_FEEDS_PROCESSOR', 'd1', 'FEEDS_DB', 'prepare', sql)
  return rowsShape.parse(await callMethod(statement, 'all').catch(() => ({ results: [] }))).results
}
const until = async (isSo: () => boolean | Promise<boolean>) => {
  while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve))
}
const statusOf = async (name: string) => (await workers.call(name, '/status')).json()

it('polls feeds into the queue, and the other worker writes each item once', async () => {
  feeds.set('/one', ['a', 'b'])
  feeds.set('/two', ['c'])
  feeds.set('/gone', 410)
  expect(await workers.fire('F_FEEDS_POLLER', minutes(0))).toMatchObject({ outcome: 'ok' })
  expect(await statusOf('F_FEEDS_POLLER')).toMatchObject({
    state: {
      lastRun: {
        outcome: 'partial',
        items: { found: 3, delivered: 3, failed: 1 },
        errors: [{ item: `${outside.url}/gone` }],
      },
    },
  })
  await until(
    async () => (await readItems()).filter(({ status }) => status === 'processed').length === 3,
  )
  expect(await readItems()).toMatchObject([
    {
      item_id: 'a',
      status: 'processed',
      tier: 'A',
      quality_score: 80,
      labels: '["ice"]',
      attempts: 1,
    },
    { item_id: 'b', summary_short: 'T b' },
    { item_id: 'c', feed_url: `${outside.url}/two` },
  ])

  // Too early, so no feed is requested.
  requests.length = 0
  await workers.fire('F_FEEDS_POLLER', minutes(1))
  expect(requests).toEqual([])

  feeds.set('/one', ['a', 'b', 'd'])
  await workers.fire('F_FEEDS_POLLER', minutes(24 * 60))
  expect(requests.filter(({ path }) => path === '/two')).toEqual([{ path: '/two', etag: '"1"' }])
  await until(async () =>
    (await readItems()).some(({ item_id, status }) => item_id === 'd' && status === 'processed'),
  )
  expect((await readItems()).map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1])
})

it('acknowledges finished messages and retries failed ones, each separately', async () => {
  const message = (id: string) => ({
    feed_url: 'https://feeds.example/x',
    item: {
      id,
      title: `T ${id}`,
      link: null,
      published: null,
      updated: null,
      author: null,
      content: null,
      summary: null,
      categories: [],
      enclosures: [],
    },
    enqueued_at: new Date(T0).toISOString(),
  })
  const bodies = [message('good'), message('bad'), message('good'), { rubbish: true }]
  const delivered = await workers.deliver('F_FEEDS_PROCESSOR', 'feed-items', bodies)
  expect(delivered).toMatchObject({ outcome: 'ok' })
  expect(delivered.explicitAcks.toSorted()).toEqual(['m0', 'm2'])
  expect(delivered.retryMessages.map(({ msgId }) => msgId).toSorted()).toEqual(['m1', 'm3'])
  expect(await statusOf('F_FEEDS_PROCESSOR')).toMatchObject({
    state: {
      lastRun: {
        outcome: 'partial',
        items: { found: 4, delivered: 1, alreadySeen: 1, failed: 2 },
        startedAt: new Date(T0).toISOString(),
      },
    },
  })
})

it('takes over at once what a process had claimed that died, and waits for a living one', async () => {
  const claimedAt = { dead: minutes(-2), alive: minutes(-0.5) }
  for (const [id, at] of Object.entries(claimedAt)) {
    const sql = `INSERT INTO feed_items (feed_url, item_id, status, attempts, ingested_at, claimed_until)
      VALUES ('https://feeds.example/y', '${id}', 'processing', 1, '', '${new Date(at.getTime() + CLAIM_MS).toISOString()}')`
    const statement = await workers.ask('F_FEEDS_PROCESSOR', 'd1', 'FEEDS_DB', 'prepare', sql)
    await callMethod(statement, 'run')
  }
  const bodies = Object.keys(claimedAt).map((id) => ({
    feed_url: 'https://feeds.example/y',
    item: {
      id,
      title: `T ${id}`,
      link: null,
      published: null,
      updated: null,
      author: null,
      content: null,
      summary: null,
      categories: [],
      enclosures: [],
    },
    enqueued_at: new Date(T0).toISOString(),
  }))
  const delivered = await workers.deliver('F_FEEDS_PROCESSOR', 'feed-items', bodies)
  // A retry would count as an attempt, so the message of the held item is sent again and ends here.
  expect(delivered.explicitAcks.toSorted()).toEqual(['m0', 'm1'])
  expect(delivered.retryMessages).toEqual([])
  const sql =
    "SELECT item_id, status, attempts FROM feed_items WHERE feed_url LIKE '%/y' ORDER BY item_id"
  const statement = await workers.ask('F_FEEDS_PROCESSOR', 'd1', 'FEEDS_DB', 'prepare', sql)
  expect(await callMethod(statement, 'all')).toMatchObject({
    results: [
      { item_id: 'alive', status: 'processing', attempts: 1 },
      { item_id: 'dead', status: 'processed', attempts: 2 },
    ],
  })
})

it('passes items on through a queue, with and without a pipeline', async () => {
  feeds.set('/one', ['q'])
  feeds.set('/two', ['r', 's'])
  await workers.fire('F_RSS_QUEUE', minutes(0))
  await workers.fire('F_BARE_QUEUE', minutes(0))
  await until(() => received.length === 3)
  expect(received.toSorted((x, y) => (String(x.item) < String(y.item) ? -1 : 1))).toMatchObject([
    { item: 'q', flow: 'F_TAKE_RESULTS', output: { rating: 'A', title: 'T q' } },
    { item: 'r', flow: 'F_TAKE_PASSED_ON', output: { rating: 'A', title: 'T r' } },
    { item: 's' },
  ])
})

it('cannot be triggered when a queue is its source, except with an item', async () => {
  const response = await workers.call('F_FEEDS_PROCESSOR', '/trigger', { method: 'POST' })
  expect([response.status, await response.json()]).toEqual([
    400,
    expect.objectContaining({ error: expect.stringContaining('feed-items') }),
  ])
  const init = { method: 'POST', body: JSON.stringify({ id: 'mine', title: 'T mine' }) }
  expect((await workers.call('F_TAKE_RESULTS', '/trigger', init)).status).toBe(202)
  await until(() => received.length === 1)
  expect(received).toMatchObject([{ item: 'mine', output: { rating: 'A', title: 'T mine' } }])
})
