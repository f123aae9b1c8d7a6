import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { flowState } from '@steward/contract'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  startVendorStandIn,
  type VendorStandIn,
} from '../../../models/src/testing/vendor-stand-in.ts'
import {
  createTemporaryHome,
  type TemporaryHome,
} from '../../../platform/src/testing/temporary-home.ts'
import { HISTORY_SCHEMA } from '../history/open-history.ts'
import type { LocalRuntime } from '../local-runtime.ts'
import { openLocalRuntime } from '../open-local-runtime.ts'
import { noticeOfRun, type RunNotice } from './notice-of-run.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

let home: TemporaryHome
let steward: LocalRuntime
let vendor: VendorStandIn
let receiver: Server
let destination: string
let respond: (item: string) => { status: number; headers?: Record<string, string> }
let received: string[]
let posts: string[]
let clock: number
let notices: RunNotice[]

const open = async (env: Record<string, string> = {}) => {
  steward = await openLocalRuntime({
    env: {
      STEWARD_HOME: home.path,
      LLM_BASE_URL: vendor.url,
      LLM_PROVIDER: 'openai',
      LLM_API_KEY: 'k3y-of-the-test',
      ...env,
    },
    homedir: home.path,
    builtIn: join(home.path, 'library'),
    now: () => clock,
  })
}

const flow = (extra: Record<string, unknown> = {}) => ({
  id: 'news',
  name: 'F_NEWS_POST',
  source: { type: 'rss', url: 'feed.xml' },
  pipeline: 'P_SUMMARY',
  destination: { type: 'api', url: destination },
  schedule: { intervalMinutes: 60, enabled: true },
  ...extra,
})

const feed = (...titles: string[]) =>
  home.write(
    'USER/FLOWS/feed.xml',
    `<rss version="2.0"><channel><title>T</title>${titles
      .map((title) => `<item><guid>${title}</guid><title>${title}</title></item>`)
      .join('')}</channel></rss>`,
  )

const trigger = async (options: { isScheduled?: boolean } = {}) => {
  const outcome = await steward.flows.trigger('F_NEWS_POST', {
    ...options,
    onEnding: (ending) => {
      const notice = noticeOfRun(ending, { ...steward, isWatched: false })
      if (notice !== undefined) notices.push(notice)
    },
  })
  return outcome.summary
}
const items = async () =>
  (await steward.flows.items('F_NEWS_POST', { limit: 100 })).toSorted((one, other) =>
    one.id < other.id ? -1 : 1,
  )
const stateOf = () =>
  flowState.parse(JSON.parse(readFileSync(steward.home.flowState, 'utf8'))).flows.news

beforeEach(async () => {
  home = createTemporaryHome()
  clock = Date.parse('2026-03-01T12:00:00Z')
  received = []
  posts = []
  notices = []
  respond = () => ({ status: 201 })
  vendor = await startVendorStandIn()
  receiver = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { item } = JSON.parse(body)
    posts.push(item)
    const { status, headers = {} } = respond(item)
    if (status < 300) received.push(item)
    response.writeHead(status, headers).end()
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const address = receiver.address()
  const port = typeof address === 'object' ? address?.port : ''
  destination = `http://127.0.0.1:${port}/`
  home.write(
    'settings.json',
    JSON.stringify({ execution: { fetch: { allowPrivateHosts: ['127.0.0.1'] } } }),
  )
  home.action(
    'A_SUMMARISE_TITLE',
    'const { text } = await context.capabilities.llm(`Summarise ${input.title}`); return { summary: text }',
    { requires: ['llm'] },
  )
  home.pipeline('P_SUMMARY', ['A_SUMMARISE_TITLE'])
  home.flows(flow())
  feed('a', 'b', 'c')
  await open()
})

afterEach(async () => {
  await steward.close()
  await vendor.close()
  receiver.closeAllConnections()
  receiver.close()
  home.remove()
})

describe('a destination that is down', () => {
  it('keeps its items, pays the model once, and gets them in order when it is back (E1, E4)', async () => {
    respond = () => ({ status: 500 })
    for (let run = 1; run <= 4; run++) {
      expect(await trigger()).toMatchObject({
        outcome: 'partial',
        items: { delivered: 0, waiting: 3 },
        errors: [{ item: 'a' }, { item: 'b' }, { item: 'c' }],
      })
    }
    expect(vendor.calls).toHaveLength(3)
    expect(stateOf()).toMatchObject({ consecutiveFailures: 4, blocked: null })
    expect(await items()).toMatchObject([
      { id: 'a', state: 'waiting', error: expect.stringContaining('status 500') },
      { id: 'b', state: 'waiting', nextAttemptAt: expect.any(String) },
      { id: 'c', state: 'waiting' },
    ])
    respond = () => ({ status: 201 })
    expect(await trigger()).toMatchObject({ outcome: 'delivered', items: { delivered: 3 } })
    expect(received).toEqual(['a', 'b', 'c'])
    expect(vendor.calls).toHaveLength(3)
    expect(await trigger()).toMatchObject({ outcome: 'nothing-new' })
    expect(notices).toHaveLength(1)
  })

  it('for a day: everything that was found meanwhile arrives, in order, once', async () => {
    respond = () => ({ status: 503 })
    const all: string[] = []
    for (let hour = 0; hour < 24; hour += 2) {
      all.push(`item-${String(hour).padStart(2, '0')}`)
      // A feed that shows only its latest items.
      feed(...all.slice(-3))
      await trigger({ isScheduled: true })
      clock += 2 * HOUR
    }
    expect(received).toEqual([])
    respond = () => ({ status: 201 })
    clock += 2 * HOUR
    expect(await trigger({ isScheduled: true })).toMatchObject({
      outcome: 'delivered',
      items: { delivered: 12 },
    })
    expect(received).toEqual(all)
    expect(vendor.calls).toHaveLength(12)
  }, 120_000)

  it('for eight days: items are given up with one notice, and one command delivers them', async () => {
    respond = () => ({ status: 503 })
    for (let day = 0; day <= 8; day++) {
      await trigger({ isScheduled: true })
      clock += DAY
    }
    expect(await items()).toMatchObject([
      { id: 'a', state: 'given-up', error: expect.stringContaining('503') },
      { id: 'b', state: 'given-up' },
      { id: 'c', state: 'given-up' },
    ])
    expect(await trigger()).toMatchObject({ outcome: 'partial', items: { givenUp: 3 } })
    expect(notices.map(({ message }) => message)).toEqual([
      expect.stringContaining('delivered nothing'),
      expect.stringContaining('gave up 3 items'),
    ])
    respond = () => ({ status: 201 })
    const retried = await steward.flows.retry('F_NEWS_POST', {})
    expect(retried.summary).toMatchObject({ outcome: 'delivered', items: { delivered: 3 } })
    expect(received).toEqual(['a', 'b', 'c'])
    expect(vendor.calls).toHaveLength(3)
    expect(await trigger()).toMatchObject({ outcome: 'nothing-new' })
  })

  it('is asked again with growing pauses by a schedule, and not before its retry-after', async () => {
    respond = () => ({ status: 500 })
    await trigger({ isScheduled: true })
    const first = Date.parse((await items())[0]?.nextAttemptAt ?? '') - clock
    expect(first).toBeGreaterThanOrEqual(48_000)
    expect(first).toBeLessThanOrEqual(72_000)
    await trigger({ isScheduled: true })
    expect(posts).toEqual(['a'])
    respond = () => ({ status: 503, headers: { 'retry-after': '7200' } })
    clock += 2 * 60_000
    await trigger({ isScheduled: true })
    expect(posts).toEqual(['a', 'a'])
    expect((await items()).map(({ nextAttemptAt }) => nextAttemptAt)).toEqual(
      Array.from({ length: 3 }, () => new Date(clock + 2 * HOUR).toISOString()),
    )
    clock += HOUR
    await trigger()
    expect(posts).toEqual(['a', 'a'])
    clock += HOUR
    await trigger()
    expect(posts).toEqual(['a', 'a', 'a'])
  })

  it('for one item only does not block the others', async () => {
    respond = (item) => ({ status: item === 'a' ? 500 : 201 })
    for (let run = 0; run < 4; run++) await trigger()
    expect(received).toEqual(['b', 'c'])
    expect(await items()).toMatchObject([
      { id: 'a', state: 'waiting' },
      { id: 'b', state: 'delivered', error: null },
      { id: 'c', state: 'delivered' },
    ])
  })
})

describe('an item that the destination refuses', () => {
  it('is rejected for good, and can be retried by its id', async () => {
    respond = (item) => ({ status: item === 'b' ? 422 : 201 })
    expect(await trigger()).toMatchObject({ outcome: 'partial', items: { rejected: 1 } })
    await trigger()
    expect(posts).toEqual(['a', 'b', 'c'])
    respond = () => ({ status: 201 })
    await expect(steward.flows.retry('F_NEWS_POST', {})).rejects.toMatchObject({
      code: 'not_found',
    })
    await steward.flows.retry('F_NEWS_POST', { items: ['b'] })
    expect(received).toEqual(['a', 'c', 'b'])
    expect(vendor.calls).toHaveLength(3)
  })
})

describe('an item that a condition of the pipeline filters', () => {
  it('is not delivered, not an error, and not tried again', async () => {
    home.write(
      'USER/PIPELINES/P_SUMMARY.yaml',
      'name: P_SUMMARY\ndescription: S.\nactions:\n  - when: title != "b"\n  - A_SUMMARISE_TITLE\n',
    )
    expect(await trigger()).toMatchObject({
      outcome: 'delivered',
      reason: '2 delivered, 1 filtered',
      items: { delivered: 2, filtered: 1, rejected: 0, failed: 0 },
      errors: [],
    })
    expect(received).toEqual(['a', 'c'])
    expect(vendor.calls).toHaveLength(2)
    expect(await items()).toMatchObject([
      { id: 'a', state: 'delivered' },
      { id: 'b', state: 'filtered', error: null },
      { id: 'c', state: 'delivered' },
    ])
    expect(await trigger()).toMatchObject({ outcome: 'nothing-new', items: { alreadySeen: 3 } })
    expect(notices).toEqual([])
  })

  it('may be every item', async () => {
    home.write(
      'USER/PIPELINES/P_SUMMARY.yaml',
      'name: P_SUMMARY\ndescription: S.\nactions:\n  - when: title == "x"\n  - A_SUMMARISE_TITLE\n',
    )
    expect(await trigger()).toMatchObject({
      outcome: 'nothing-new',
      reason: '0 delivered, 3 filtered',
      blocked: null,
    })
    expect(stateOf()).toMatchObject({ consecutiveFailures: 0 })
  })
})

describe('wrong configuration', () => {
  it('of the key blocks the flow without counting attempts, and corrects itself', async () => {
    await steward.close()
    await vendor.close()
    vendor = await startVendorStandIn({ apiKey: 'the-right-key' })
    await open({ LLM_BASE_URL: vendor.url })
    expect(await trigger()).toMatchObject({
      outcome: 'failed',
      blocked: { code: 'invalid_api_key' },
    })
    await trigger()
    expect(stateOf()?.blocked).toMatchObject({
      code: 'invalid_api_key',
      since: new Date(clock).toISOString(),
    })
    expect(await items()).toMatchObject([
      { state: 'found', attempts: 0 },
      { state: 'found', attempts: 0 },
      { state: 'found', attempts: 0 },
    ])
    expect(notices.map(({ message }) => message)).toEqual([expect.stringContaining('is blocked')])
    await steward.close()
    await open({ LLM_BASE_URL: vendor.url, LLM_API_KEY: 'the-right-key' })
    expect(await trigger()).toMatchObject({ outcome: 'delivered', blocked: null })
    expect(stateOf()?.blocked).toBeNull()
  })

  it('of the account, whose credit is used up, loses no item (E2)', async () => {
    const message = 'Your credit balance is too low to access the API.'
    const refusal = { status: 400, error: { type: 'invalid_request_error', message } }
    vendor.script(refusal, refusal, refusal)
    expect(await trigger()).toMatchObject({
      outcome: 'failed',
      blocked: { code: 'credit_exhausted' },
      items: { rejected: 0 },
    })
    expect(await trigger()).toMatchObject({ outcome: 'delivered', items: { delivered: 3 } })
  })

  it('of the pipeline blocks the flow until another is chosen (E2)', async () => {
    home.action('A_NEED_VIDEO', 'return {}', {
      input: { video: { type: 'string', required: true } },
    })
    home.pipeline('P_VIDEO', ['A_NEED_VIDEO'])
    home.flows(flow({ pipeline: 'P_VIDEO' }))
    expect(await trigger()).toMatchObject({
      outcome: 'failed',
      blocked: { message: expect.stringContaining('video') },
      items: { rejected: 0 },
    })
    home.flows(flow())
    expect(await trigger()).toMatchObject({ outcome: 'delivered', items: { delivered: 3 } })
  })

  it('of a pipeline that does not exist is recorded as a run and in the state', async () => {
    home.flows(flow({ pipeline: 'P_NOWHERE' }))
    expect(await trigger()).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('blocked:'),
      blocked: { message: expect.stringContaining('P_NOWHERE') },
    })
    expect(stateOf()).toMatchObject({ blocked: { reason: expect.stringContaining('P_NOWHERE') } })
  })

  it('of the destination keeps the outputs', async () => {
    respond = () => ({ status: 401 })
    expect(await trigger()).toMatchObject({
      outcome: 'failed',
      blocked: { code: 'not_configured' },
      items: { waiting: 3 },
    })
    expect(posts).toEqual(['a'])
    expect((await items())[0]).toMatchObject({ state: 'waiting', attempts: 0 })
    respond = () => ({ status: 201 })
    await trigger()
    expect(received).toEqual(['a', 'b', 'c'])
    expect(vendor.calls).toHaveLength(3)
  })

  it('is not the reason if other items pass: then the item is rejected', async () => {
    home.action(
      'A_SUMMARISE_TITLE',
      "if (input.title === 'b') throw Object.assign(new Error('no'), { name: 'StewardError', code: 'invalid_input' }); return {}",
    )
    expect(await trigger()).toMatchObject({
      outcome: 'partial',
      blocked: null,
      items: { delivered: 2, rejected: 1 },
    })
  })
})

it('processing continues at the failed step, so that earlier steps are not paid again', async () => {
  home.action('A_PASS_ON', "throw new Error('not today')")
  home.pipeline('P_SUMMARY', ['A_SUMMARISE_TITLE', 'A_PASS_ON'])
  feed('a')
  expect(await trigger()).toMatchObject({ outcome: 'failed', items: { failed: 1 } })
  expect(await trigger()).toMatchObject({ outcome: 'failed', items: { failed: 1 } })
  expect(vendor.calls).toHaveLength(1)
  expect(await items()).toMatchObject([{ state: 'found', attempts: 2 }])
})

it('a failed run can be resumed', async () => {
  respond = () => ({ status: 500 })
  const { runId } = await trigger()
  expect(steward.history.get(runId)?.status).toBe('failed')
  respond = () => ({ status: 201 })
  const { summary } = await steward.flows.resume(runId)
  expect(summary).toMatchObject({ runId, outcome: 'delivered', items: { delivered: 3 } })
  expect(steward.history.get(runId)).toMatchObject({ status: 'completed', error: null })
  expect(received).toEqual(['a', 'b', 'c'])
  expect(vendor.calls).toHaveLength(3)
})

it('waiting items are delivered although the source is down', async () => {
  respond = () => ({ status: 500 })
  await trigger()
  respond = () => ({ status: 201 })
  home.write('USER/FLOWS/feed.xml', 'no feed')
  expect(await trigger()).toMatchObject({
    outcome: 'partial',
    items: { delivered: 3 },
    errors: [{ code: 'feed_unreadable' }],
  })
})

it('an update of an older version delivers nothing again and shows what it lost', async () => {
  await steward.close()
  const old = new DatabaseSync(join(home.path, 'state/history.sqlite'))
  old.exec(`DROP TABLE flow_items; DROP TABLE step_logs; ${HISTORY_SCHEMA[1]}
    ALTER TABLE steps DROP COLUMN path; ALTER TABLE steps DROP COLUMN mark;
    ALTER TABLE runs DROP COLUMN filtered;
    INSERT INTO flow_items VALUES ('news', 'a', 'delivered', 1, 'run', 1), ('news', 'b', 'failed', 3, 'run', 2);
    PRAGMA user_version = 2`)
  old.close()
  await open()
  expect(await trigger()).toMatchObject({
    outcome: 'partial',
    items: { delivered: 1, alreadySeen: 2, givenUp: 1 },
  })
  expect(received).toEqual(['c'])
  expect(notices).toEqual([])
  await steward.flows.retry('F_NEWS_POST', { items: ['b'] })
  expect(received).toEqual(['c', 'b'])
})
