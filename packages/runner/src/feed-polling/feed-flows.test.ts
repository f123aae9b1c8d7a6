import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { TemporaryHome } from '../../../platform/src/testing/temporary-home.ts'
import type { LocalRuntime } from '../local-runtime.ts'
import { openLocalRuntime } from '../open-local-runtime.ts'
import type { Progress } from '../runner/index.ts'
import { createFeedHome } from './testing/feed-home.ts'
import { type Answer, type FeedServer, rss, serveFeeds } from './testing/feed-server.ts'

let home: TemporaryHome
let steward: LocalRuntime
let server: FeedServer
let answer: Answer
let clock: number

const open = async () => {
  steward = await openLocalRuntime({
    env: { STEWARD_HOME: home.path, FEED_PROXY_TOKEN: 't0ken' },
    homedir: home.path,
    builtIn: `${home.path}/library`,
    now: () => clock,
  })
}
const listFeeds = (...paths: string[]) =>
  home.write(
    'USER/FLOWS/feeds.json',
    JSON.stringify(paths.map((path) => ({ url: server.origin + path, intervalMinutes: 5 }))),
  )
const trigger = async (flow: string) => (await steward.flows.trigger(flow)).summary
const rows = () => steward.feeds.database().listItems(1000)
const later = (minutes: number) => {
  clock += minutes * 60_000
}

beforeEach(async () => {
  home = createFeedHome()
  clock = Date.parse('2026-03-01T12:00:00Z')
  answer = (_, response) => response.end(rss(['b', 'a']))
  server = await serveFeeds((request, response) => answer(request, response))
  await open()
})

afterEach(async () => {
  await steward.close()
  server.close()
  home.remove()
})

describe('the poller and the processor', () => {
  it('take a new item from its feed into the table, once', async () => {
    listFeeds('/one')
    expect(await trigger('F_FEEDS_POLLER')).toMatchObject({
      outcome: 'delivered',
      reason: '1 of 1 feeds checked, 2 new items enqueued',
      items: { found: 2, delivered: 2 },
    })
    expect(await trigger('F_FEEDS_PROCESSOR')).toMatchObject({
      outcome: 'delivered',
      items: { found: 2, delivered: 2 },
    })
    expect(rows().toSorted((a, b) => (a.item_id < b.item_id ? -1 : 1))).toMatchObject([
      {
        feed_url: `${server.origin}/one`,
        item_id: 'a',
        title: 'Title a',
        url: 'https://example.test/a',
        status: 'processed',
        tier: 'A',
        quality_score: 80,
        labels: ['x'],
        summary_short: 'about Title a',
        attempts: 1,
        failures: 0,
        error: null,
        processed_at: '2026-03-01T12:00:00.000Z',
        claimed_until: null,
      },
      { item_id: 'b' },
    ])
    expect(await trigger('F_FEEDS_POLLER')).toMatchObject({
      outcome: 'nothing-new',
      reason: '0 of 1 feeds checked, 0 new items enqueued, 1 not due yet',
    })
    later(5)
    answer = (_, response) => response.end(rss(['c', 'b']))
    expect(await trigger('F_FEEDS_POLLER')).toMatchObject({ items: { found: 2, delivered: 1 } })
    expect(await trigger('F_FEEDS_PROCESSOR')).toMatchObject({ items: { delivered: 1 } })
    expect(await trigger('F_FEEDS_PROCESSOR')).toMatchObject({
      outcome: 'nothing-new',
      reason: 'no message of the queue feed-items is ready',
    })
    expect(rows()).toHaveLength(3)
  })

  it('report missing feeds, and what is wrong in feeds.json', async () => {
    expect(await trigger('F_FEEDS_POLLER')).toMatchObject({
      outcome: 'nothing-new',
      reason: 'no feeds yet: steward feeds add URL',
    })
    home.write('USER/FLOWS/feeds.json', '[{"url": "example.com"}]')
    expect(await trigger('F_FEEDS_POLLER')).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('[0].url: must be an http or https URL'),
      errors: [{ code: 'invalid_definition' }],
    })
    expect(steward.history.list({ status: 'failed' })).toHaveLength(1)
  })

  it('are in the history and in flow-state.json like any flow', async () => {
    listFeeds('/one', '/two')
    answer = ({ path }, response) => {
      if (path === '/two') response.writeHead(500).end()
      else response.end(rss(['a']))
    }
    const { runId, summary } = await steward.flows.trigger('F_FEEDS_POLLER')
    expect(summary).toMatchObject({
      outcome: 'partial',
      reason: '2 of 2 feeds checked, 1 new items enqueued, 1 failed (5xx: 1)',
      errors: [{ item: `${server.origin}/two`, code: 'upstream_failed' }],
    })
    expect(steward.history.get(runId)).toMatchObject({
      primitive: 'flow',
      status: 'completed',
      steps: [
        { action: 'source', status: 'completed', output: { feeds: 2, failed: { '5xx': 1 } } },
      ],
    })
    const notes: string[] = []
    const processed = await steward.flows.trigger('F_FEEDS_PROCESSOR', {
      onProgress: (progress) => {
        if (progress.kind === 'note') notes.push(progress.message)
      },
    })
    expect(notes).toContain('processed: Title a')
    expect(steward.history.get(processed.runId)).toMatchObject({ children: [{ name: 'P_RATE' }] })
    expect(JSON.parse(readFileSync(steward.home.flowState, 'utf8')).flows).toMatchObject({
      poller: { lastRun: { outcome: 'partial' } },
      processor: { lastRun: { outcome: 'delivered' } },
    })
  })

  it('isolate a failing item, retry it later, and dead-letter it in the end', async () => {
    home.action(
      'A_RATE_ITEM',
      "if (input.title === 'Title a') throw new Error('cannot'); return { rating: 'B' }",
    )
    listFeeds('/one')
    await trigger('F_FEEDS_POLLER')
    expect(await trigger('F_FEEDS_PROCESSOR')).toMatchObject({
      outcome: 'partial',
      reason: expect.stringContaining('1 wait for a retry'),
      items: { delivered: 1, failed: 1 },
    })
    expect(rows()).toContainEqual(
      expect.objectContaining({ item_id: 'a', status: 'ingested', failures: 1 }),
    )
    for (let attempt = 2; attempt <= 11; attempt++) {
      later(61)
      await trigger('F_FEEDS_PROCESSOR')
    }
    expect(steward.feeds.queue('feed-items-dead').inspect()).toMatchObject({ ready: 1 })
    expect(rows().find(({ item_id }) => item_id === 'a')).toMatchObject({
      failures: 11,
      error: 'A_RATE_ITEM failed: cannot',
    })
  })

  it('mark what cannot be processed, and do not retry', async () => {
    home.action(
      'A_RATE_ITEM',
      "throw Object.assign(new Error('too short'), { name: 'StewardError', code: 'rejected_content' })",
    )
    listFeeds('/one')
    await trigger('F_FEEDS_POLLER')
    expect(await trigger('F_FEEDS_PROCESSOR')).toMatchObject({ items: { rejected: 2 } })
    expect(rows().map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(steward.feeds.queue('feed-items').inspect()).toMatchObject({ ready: 0, delayed: 0 })
  })

  it('keep what the pipeline cannot take, until the pipeline is corrected', async () => {
    home.action('A_RATE_ITEM', 'return {}', {
      input: { needed: { type: 'string', required: true } },
    })
    listFeeds('/one')
    await trigger('F_FEEDS_POLLER')
    expect(await trigger('F_FEEDS_PROCESSOR')).toMatchObject({ items: { rejected: 0, failed: 2 } })
    home.action('A_RATE_ITEM', "return { rating: 'A' }")
    later(61)
    expect(await trigger('F_FEEDS_PROCESSOR')).toMatchObject({ items: { delivered: 2 } })
  })

  it('process an item once however often it is enqueued', async () => {
    home.action('A_RATE_ITEM', 'context.log("rated"); return { rating: "A" }')
    const notes: string[] = []
    listFeeds('/one')
    for (let times = 0; times < 3; times++) {
      await trigger('F_FEEDS_POLLER')
      await steward.feeds.database().forget(`${server.origin}/one`)
    }
    const { summary } = await steward.flows.trigger('F_FEEDS_PROCESSOR', {
      onProgress: (progress) => {
        if (progress.kind === 'note') notes.push(progress.message)
      },
    })
    expect(summary).toMatchObject({ items: { found: 6, delivered: 2, alreadySeen: 4 } })
    expect(rows()).toHaveLength(2)
    expect(notes.filter((message) => message === 'rated')).toHaveLength(2)
  })

  it('dead-letter an unreadable message', async () => {
    await steward.feeds.queue('feed-items').sendBatch([{ body: { nonsense: true } }])
    expect(await trigger('F_FEEDS_PROCESSOR')).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('1 dead letters in feed-items-dead'),
    })
  })

  it('deliver elsewhere when the flow says so, with the table as state', async () => {
    home.flows({
      id: 'processor',
      name: 'F_FEEDS_PROCESSOR',
      source: { type: 'queue', queue: 'feed-items' },
      pipeline: 'P_RATE',
      destination: { type: 'file', path: 'items.jsonl' },
      schedule: { intervalMinutes: 5, enabled: true },
    })
    const body = {
      feed_url: 'https://example.test/feed',
      item: {
        id: 'a',
        title: 'A',
        link: null,
        published: null,
        updated: null,
        author: null,
        content: 'text',
        summary: null,
        categories: [],
        enclosures: [],
      },
      enqueued_at: '2026-03-01T00:00:00.000Z',
    }
    await steward.feeds.queue('feed-items').sendBatch([{ body }, { body }])
    await trigger('F_FEEDS_PROCESSOR')
    const lines = readFileSync(`${home.path}/OUTPUT/items.jsonl`, 'utf8').trim().split('\n')
    expect(lines).toHaveLength(1)
    expect(rows()).toMatchObject([{ status: 'processed' }])
  })
})

describe('a queue between any two flows', () => {
  it('passes items on, each once', async () => {
    home.write('USER/FLOWS/in.json', JSON.stringify([{ id: 1, title: 'one' }, { id: 2 }]))
    const schedule = { intervalMinutes: 5, enabled: true }
    home.flows(
      {
        id: 'first',
        name: 'F_FILES_QUEUE',
        source: { type: 'file', path: 'in.json' },
        destination: { type: 'queue', queue: 'things' },
        schedule,
      },
      {
        id: 'second',
        name: 'F_QUEUE_RATE',
        source: { type: 'queue', queue: 'things' },
        pipeline: 'P_RATE',
        destination: { type: 'file', path: 'out.jsonl' },
        schedule,
      },
    )
    expect(await trigger('F_FILES_QUEUE')).toMatchObject({ items: { delivered: 2 } })
    const again = {
      body: {
        flow: 'F_FILES_QUEUE',
        item: { id: '1', title: 'one' },
        fields: { title: 'one' },
        enqueued_at: '2026-03-01T00:00:00.000Z',
      },
    }
    expect(await trigger('F_QUEUE_RATE')).toMatchObject({ items: { delivered: 2 } })
    await steward.feeds.queue('things').sendBatch([again])
    expect(await trigger('F_QUEUE_RATE')).toMatchObject({ items: { alreadySeen: 1 } })
    const lines = readFileSync(`${home.path}/OUTPUT/out.jsonl`, 'utf8').trim().split('\n')
    // They are processed concurrently, so either may be written first.
    const items = lines.map((line) => JSON.parse(line).item)
    expect(items.toSorted()).toEqual(['F_FILES_QUEUE 1', 'F_FILES_QUEUE 2'])
  })
})

it('gives an item of a person to the flow of a queue as a message, and none to the poller', async () => {
  const input = { id: 'mine', title: 'mine', link: 'https://example.com/' }
  await expect(steward.flows.trigger('F_FEEDS_POLLER', { input })).rejects.toThrow(
    'it has no pipeline that takes input',
  )
  const give = async () => (await steward.flows.trigger('F_FEEDS_PROCESSOR', { input })).summary
  expect(await give()).toMatchObject({ outcome: 'delivered', items: { found: 1, delivered: 1 } })
  expect(await give()).toMatchObject({ items: { found: 1, delivered: 0, alreadySeen: 1 } })
})

describe('an interrupted run', () => {
  it('is resumed: the poller polls again, the processor takes the rest', async () => {
    listFeeds('/one')
    await trigger('F_FEEDS_POLLER')
    const stop = new AbortController()
    const onProgress = (progress: Progress) => {
      if (progress.kind === 'note' && progress.message === 'stop') stop.abort(new Error('stopped'))
    }
    home.action(
      'A_RATE_ITEM',
      'context.log("stop"); await new Promise((done) => setImmediate(done)); return {}',
    )
    await expect(
      steward.flows.trigger('F_FEEDS_PROCESSOR', { signal: stop.signal, onProgress }),
    ).rejects.toThrow('stopped')
    expect(rows().map(({ failures }) => failures)).toEqual([0, 0])
    await steward.close()
    await open()
    later(20)
    const [left] = steward.history.list({ status: 'interrupted', primitive: 'flow' })
    const { summary } = await steward.flows.resume(left?.id ?? '')
    expect(summary).toMatchObject({ outcome: 'delivered', items: { delivered: 2 } })
    expect(rows().map(({ status }) => status)).toEqual(['processed', 'processed'])
    expect(steward.history.list({ status: 'interrupted' })).toEqual([])
  })
})
