import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import type { FlowRunSummary, JsonObject } from '@steward/contract'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import {
  createTemporaryHome,
  type TemporaryHome,
} from '../../../platform/src/testing/temporary-home.ts'
import type { LocalRuntime } from '../local-runtime.ts'
import { openLocalRuntime } from '../open-local-runtime.ts'
import type { Progress } from '../runner/index.ts'

const HOUR = 3_600_000

let home: TemporaryHome
let steward: LocalRuntime
let receiver: Server
let address: string
let clock = Date.parse('2026-03-01T12:00:00Z')
let status: (path: string) => number
let received: { path: string; key: string; body: JsonObject }[]
let flows = 0

beforeAll(async () => {
  home = createTemporaryHome()
  receiver = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const path = request.url ?? ''
    const code = status(path)
    const key = String(request.headers['idempotency-key'])
    if (code < 300) received.push({ path, key, body: JSON.parse(body) })
    response.writeHead(code).end()
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const bound = receiver.address()
  address = `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}`
  const fetch = { allowPrivateHosts: ['127.0.0.1'] }
  home.write('settings.json', JSON.stringify({ execution: { fetch } }))
  home.action('A_RATE_TITLE', 'return { rating: input.title.length, greeting: input.greeting }')
  home.write(
    'USER/PIPELINES/P_RATE.yaml',
    `name: P_RATE
description: Rates titles.
input:
  greeting: { type: string, default: hello }
  depth: { type: integer }
actions: [A_RATE_TITLE]
`,
  )
  await open()
})
const open = async () => {
  steward = await openLocalRuntime({
    env: { STEWARD_HOME: home.path, LLM_PROVIDER: 'offline' },
    homedir: home.path,
    builtIn: join(home.path, 'library'),
    now: () => clock,
  })
}
afterAll(async () => {
  await steward.close()
  receiver.close()
  home.remove()
})
beforeEach(() => {
  status = () => 201
  received = []
})

const feed = (name: string, ...ids: string[]) =>
  home.write(
    `USER/FLOWS/${name}.xml`,
    `<rss version="2.0"><channel><title>T</title>${ids
      .map((id) => `<item><guid>${id}</guid><title>${name} ${id}</title></item>`)
      .join('')}</channel></rss>`,
  )
const rss = (...names: string[]) => names.map((name) => ({ type: 'rss', url: `${name}.xml` }))
const api = (path: string) => ({ type: 'api', url: `${address}/${path}` })

/** A new flow with a ledger of its own. */
const define = (parts: JsonObject, id = `flow-${++flows}`): string => {
  const name = `F_${id.toUpperCase().replace('-', '_')}`
  home.flows({ id, name, pipeline: 'P_RATE', schedule: { intervalMinutes: 60 }, ...parts })
  return name
}
const trigger = async (name: string, options: JsonObject = {}): Promise<FlowRunSummary> => {
  clock += HOUR
  return (await steward.flows.trigger(name, options)).summary
}
const titles = (path: string) =>
  received.filter((call) => call.path === `/${path}`).map(({ body }) => body.title)

it('reads several sources with one ledger, although one fails', async () => {
  feed('one', '1', '2', 'https://example.com/same')
  feed('two', '1', 'https://example.com/same')
  const parts = { sources: rss('one', 'missing', 'two'), destination: api('all') }
  const name = define(parts)
  expect(await trigger(name)).toMatchObject({
    outcome: 'partial',
    reason: expect.stringContaining('1 source could not be read'),
    items: { found: 5, delivered: 4 },
    errors: [{ item: 'source 2 (rss)', message: expect.stringContaining('missing.xml') }],
  })
  // The numbers are ids of each feed; the address is one article.
  expect(titles('all')).toEqual(['one 1', 'one 2', 'one https://example.com/same', 'two 1'])
  expect(await trigger(name)).toMatchObject({ outcome: 'partial', items: { alreadySeen: 5 } })
  feed('missing', '1')
  expect(await trigger(name)).toMatchObject({ outcome: 'delivered', items: { delivered: 1 } })
})

it('knows the items of its first source when it gets a second one', async () => {
  feed('one', '1', '2')
  feed('two', '1')
  const destination = api('grown')
  const name = define({ source: rss('one')[0], destination }, 'grown')
  expect(await trigger(name)).toMatchObject({ items: { delivered: 2 } })
  define({ sources: rss('one', 'two'), destination }, 'grown')
  expect(await trigger(name)).toMatchObject({ items: { delivered: 1, alreadySeen: 2 } })
  define({ sources: rss('two', 'one'), destination }, 'grown')
  expect(await trigger(name)).toMatchObject({ outcome: 'nothing-new' })
  expect(titles('grown')).toEqual(['one 1', 'one 2', 'two 1'])
})

it('filters before the pipeline and gives it fields, which a trigger may override', async () => {
  feed('one', '1', '22')
  const pipelineRuns = () => steward.history.list({ name: 'P_RATE', limit: 100 }).length
  const before = pipelineRuns()
  const parts = { source: rss('one')[0], destination: api('with'), with: { greeting: 'salut' } }
  const name = define({ ...parts, filter: 'title.endsWith("1")' })
  expect(await trigger(name)).toMatchObject({ items: { delivered: 1, filtered: 1 } })
  feed('one', '1', '22', '31')
  await expect(trigger(name, { input: { greting: 'x' } })).rejects.toThrow(
    /input\.greting: the pipeline has no input greting \(did you mean greeting\?\)/,
  )
  await expect(trigger(name, { input: { depth: 'deep' } })).rejects.toThrow(/must be an integer/)
  expect(await trigger(name, { input: { greeting: 'servus' } })).toMatchObject({
    items: { delivered: 1 },
  })
  expect(received.map(({ body }) => (body.output as JsonObject).greeting)).toEqual([
    'salut',
    'servus',
  ])
  expect(pipelineRuns()).toBe(before + 2)
  // Other fields are those of an item: the run works on it alone and reads no source.
  feed('one', '1', '22', '31', '41')
  const given = { title: 'by hand 1', greeting: 'ciao' }
  expect(await trigger(name, { input: given })).toMatchObject({
    outcome: 'delivered',
    items: { found: 1, delivered: 1, alreadySeen: 0 },
  })
  expect(received.at(-1)?.body.output).toMatchObject(given)
  const known = { id: 'mine', title: 'dull' }
  expect(await trigger(name, { input: known })).toMatchObject({ items: { filtered: 1 } })
  expect(await trigger(name, { input: known })).toMatchObject({ items: { alreadySeen: 1 } })
  expect(await trigger(name)).toMatchObject({ items: { found: 4, delivered: 1, alreadySeen: 3 } })
  // It lacks a field that the pipeline needs: it is rejected, and the flow is not blocked.
  const needed = { title: { type: 'string', required: true } }
  home.action('A_NEED_TITLE', 'return {}', { input: needed })
  home.pipeline('P_NEED', ['A_NEED_TITLE'])
  define({ ...parts, pipeline: 'P_NEED' }, 'needy')
  expect(await trigger('F_NEEDY', { input: { url: 'https://example.com/' } })).toMatchObject({
    items: { found: 1, rejected: 1 },
  })
  define({ ...parts, with: { depth: 1.5 } }, 'wrong')
  expect(await trigger('F_WRONG')).toMatchObject({
    outcome: 'failed',
    blocked: { message: expect.stringMatching(/line 1: .*with\.depth: must be an integer/) },
  })
})

it('delivers to each destination once, and to one that was down later', async () => {
  feed('one', '1', '2')
  const destinations = [api('here'), api('there'), { type: 'file', path: 'both.md' }]
  const name = define({ source: rss('one')[0], destinations })
  status = (path) => (path === '/there' ? 500 : 201)
  expect(await trigger(name)).toMatchObject({
    outcome: 'partial',
    items: { delivered: 0, waiting: 2, partlyDelivered: 2 },
  })
  const [item] = await steward.flows.items(name, { limit: 1 })
  expect(item).toMatchObject({
    state: 'waiting',
    deliveries: expect.arrayContaining([
      expect.objectContaining({ destination: '1 api', state: 'delivered' }),
      expect.objectContaining({ destination: '2 api', state: 'waiting' }),
      expect.objectContaining({ destination: '3 file', state: 'delivered' }),
    ]),
  })
  status = () => 201
  expect(await trigger(name)).toMatchObject({ outcome: 'delivered', items: { delivered: 2 } })
  expect(await trigger(name)).toMatchObject({ outcome: 'nothing-new' })
  expect(titles('here')).toEqual(['one 1', 'one 2'])
  expect(titles('there')).toEqual(['one 1', 'one 2'])
  expect(new Set(received.map(({ key }) => key)).size).toBe(4)
  const file = readFileSync(join(home.path, 'OUTPUT/both.md'), 'utf8')
  expect(file.match(/^## /gm)).toHaveLength(2)
})

it('sends one digest per day, in order, with the rest in the next one', async () => {
  feed('one', '1', '22', '333')
  clock = Date.parse('2026-03-10T20:00:00Z')
  const name = define({
    source: rss('one')[0],
    digest: { window: 'day', title: '{count} of {total}', order: 'rating desc', maxItems: 2 },
    destination: api('daily'),
    schedule: { intervalMinutes: 60, timezone: 'Europe/Berlin' },
  })
  expect(await trigger(name)).toMatchObject({
    outcome: 'nothing-new',
    reason: expect.stringContaining('3 kept for the next digest'),
    items: { collected: 3 },
  })
  // 23:00 in Berlin, then midnight.
  expect(await trigger(name)).toMatchObject({ items: { collected: 3, delivered: 0 } })
  expect(await trigger(name)).toMatchObject({
    outcome: 'delivered',
    items: { delivered: 2, collected: 1 },
  })
  expect(await trigger(name)).toMatchObject({ items: { delivered: 0, collected: 1 } })
  clock += 24 * HOUR
  expect(await trigger(name)).toMatchObject({ items: { delivered: 1 } })
  expect(titles('daily')).toEqual(['2 of 3', '1 of 1'])
  const [first] = received
  expect(first?.body.output).toMatchObject({
    body: expect.stringMatching(/^## one 333\n\n[\s\S]*\n\n## one 22\n/),
    items: [{ title: 'one 333' }, { title: 'one 22' }],
  })
})

it('continues a stopped run with the items that it had collected', async () => {
  feed('one', '1', '2', '3', '4')
  const digest = { title: '{count} titles' }
  const name = define({
    source: rss('one')[0],
    digest,
    destination: api('resumed'),
    concurrency: 1,
  })
  const stop = new AbortController()
  let runId = ''
  const onProgress = (progress: Progress) => {
    runId ||= progress.runId
    if (progress.kind === 'note' && progress.message.startsWith('collected: one 2')) stop.abort()
  }
  await expect(steward.flows.trigger(name, { signal: stop.signal, onProgress })).rejects.toThrow()
  expect(received).toEqual([])
  await steward.close()
  await open()
  const { summary } = await steward.flows.resume(runId)
  expect(summary).toMatchObject({ outcome: 'delivered', items: { found: 4, delivered: 4 } })
  expect(await trigger(name)).toMatchObject({ outcome: 'nothing-new' })
  expect(titles('resumed')).toEqual(['4 titles'])
  const steps = steward.history
    .get(runId)
    ?.steps.map(({ action, status: ended }) => [action, ended])
  expect(steps?.at(-1)).toEqual(['digest', 'completed'])
})

it('filters messages of a queue, and repeats no destination that has one', async () => {
  feed('one', '1', '2')
  const schedule = { intervalMinutes: 60 }
  const queue = { type: 'queue', queue: 'titles' }
  home.flows(
    { id: 'send', name: 'F_SEND', source: rss('one')[0], destination: queue, schedule },
    {
      id: 'take',
      name: 'F_TAKE',
      source: queue,
      filter: 'title.endsWith("1")',
      pipeline: 'P_RATE',
      destinations: [api('first'), api('second')],
      schedule,
    },
  )
  expect(await trigger('F_SEND')).toMatchObject({ items: { delivered: 2 } })
  status = (path) => (path === '/second' ? 500 : 201)
  expect(await trigger('F_TAKE')).toMatchObject({
    items: { found: 2, filtered: 1, rejected: 0, failed: 1 },
  })
  status = () => 201
  expect(await trigger('F_TAKE')).toMatchObject({ outcome: 'delivered', items: { delivered: 1 } })
  expect([titles('first'), titles('second')]).toEqual([['one 1'], ['one 1']])
})
