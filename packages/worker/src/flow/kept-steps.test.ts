import { mkdtempSync, rmSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startVendorStandIn, type VendorStandIn } from '@steward/models/testing'
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
  type TestWorker,
} from '../../../edge/src/local/testing/start-workers.ts'
import { type LoopbackServer, serveLoopback } from '../../../platform/src/testing/serve-loopback.ts'

const storage = mkdtempSync(join(tmpdir(), 'steward-steps-'))
let outside: LoopbackServer
let vendor: VendorStandIn
let workers: RunningWorkers
let feedItems: string[] = []
let description = 'text'
let callsBefore = 0
/** What the last step gets from outside; undefined leaves it waiting. */
let checkStatus: number | undefined
let checks: ServerResponse[] = []
let startStatus = 200
let onCheck: () => void = () => undefined
const received: string[] = []

beforeAll(async () => {
  outside = await serveLoopback(async (request, response) => {
    if (request.url === '/feed') {
      const items = feedItems.map(
        (id) =>
          `<item><guid>${id}</guid><title>T ${id}</title><description>${description}</description></item>`,
      )
      response.end(`<rss version="2.0"><channel><title>F</title>${items.join('')}</channel></rss>`)
      return
    }
    if (request.url === '/start') {
      response.statusCode = startStatus
      response.end()
      return
    }
    if (request.url === '/check') {
      checks.push(response)
      onCheck()
      if (checkStatus === undefined) return
      response.statusCode = checkStatus
      response.end('{}')
      return
    }
    let text = ''
    for await (const chunk of request) text += chunk
    received.push(z.looseObject({ item: z.string() }).parse(JSON.parse(text)).item)
    response.end('{}')
  })
  vendor = await startVendorStandIn()
  await start()
}, START_LIMIT_MS)
afterAll(async () => {
  await workers.stop()
  await Promise.all([outside.close(), vendor.close()])
  rmSync(storage, { recursive: true, force: true })
})
beforeEach(() => {
  callsBefore = vendor.calls.length
  received.length = 0
  checks = []
  checkStatus = 200
  onCheck = () => undefined
})

const ask = (name: string, field: string) =>
  actionWorker(
    name,
    `return { ${field}: (await context.capabilities.llm('${field} about ' + input.title)).text }`,
    { requires: ['llm'] },
    { LLM_API_KEY: 'sk-test-0123456789', LLM_PROVIDER: 'anthropic', LLM_BASE_URL: vendor.url },
  )

/** Answers as the local edge does for an action whose process does not start, while it may not. */
const startsSometimes = (action: TestWorker): TestWorker => ({
  ...action,
  entry: `${action.entry.replace('export default', 'const action =')}
    export default { fetch: async (...call) => (await fetch('${outside.url}/start')).ok
      ? action.fetch(...call)
      : Response.json({ success: false, code: 'action_failed', error: 'no start' }, { status: 500 }) }`,
})

const start = async (version = 'one'): Promise<void> => {
  const env = { ALLOW_PRIVATE_HOSTS: outside.host }
  const flow = (name: string, extra: Record<string, unknown> = {}) => ({
    id: name.toLowerCase().replaceAll('_', '-'),
    name,
    source: { type: 'rss', url: `${outside.url}/feed` },
    pipeline: 'P_ASK_TWICE',
    destination: { type: 'api', url: `${outside.url}/take` },
    schedule: { intervalMinutes: 30, enabled: true },
    ...extra,
  })
  const pipeline = pipelineWorker('P_ASK_TWICE', ['A_ASK_FIRST', 'A_ASK_SECOND', 'A_CHECK_OUTSIDE'])
  const definition = {
    name: 'P_ASK_TWICE',
    description: 'd',
    actions: ['A_ASK_FIRST', 'A_ASK_SECOND', 'A_CHECK_OUTSIDE'],
  }
  const parts = { env, services: ['P_ASK_TWICE'] }
  workers = await startWorkers(
    [
      startsSometimes(ask('A_ASK_FIRST', 'first')),
      ask('A_ASK_SECOND', 'second'),
      actionWorker(
        'A_CHECK_OUTSIDE',
        `const { status } = await context.capabilities.fetch('${outside.url}/check')
         if (status !== 200) throw Object.assign(new Error('down'), { code: 'upstream_failed' })
         return { rounds: (input.previousResult?.rounds ?? 0) + 1, whole: input.first + input.second }`,
        { requires: ['fetch'] },
        env,
      ),
      {
        ...pipeline,
        entry: `export default edge.createPipelineWorker(${JSON.stringify(definition)})`,
        env: { ...pipeline.env, PIPELINE_VERSION: version },
      },
      flowWorker(flow('F_ASK_TWICE'), parts),
      flowWorker(
        flow('F_ASK_LOOP', { loop: { field: 'rounds', op: 'gte', value: 2, maxIterations: 3 } }),
        parts,
      ),
      pipelineWorker('P_ASK_EACH', [
        {
          parallel: [
            ['A_ASK_FIRST', { when: 'first.size() > 0' }],
            [{ each: 'parts', do: ['A_ASK_SECOND'], max: 3 }],
          ],
        },
        { when: 'parts.size() == 2' },
        { action: 'A_CHECK_OUTSIDE', with: { second: '{first}' } },
      ]),
      flowWorker(
        flow('F_ASK_EACH', {
          pipeline: 'P_ASK_EACH',
          with: { parts: [{ title: 'T x' }, { title: 'T y' }] },
        }),
        { env, services: ['P_ASK_EACH'] },
      ),
      flowWorker(
        flow('F_ASK_QUEUE', {
          source: { type: 'queue', queue: 'feed-items' },
          destination: { type: 'database', table: 'feed_items' },
        }),
        parts,
      ),
    ],
    storage,
  )
}

const at = Date.parse('2026-11-16T10:00:00Z')
const fire = (name: string, hour: number) => workers.fire(name, new Date(at + hour * 3_600_000))
/** Model calls by the field that they fill and the item that they are about. */
const callsOf = () =>
  vendor.calls
    .slice(callsBefore)
    .map(({ prompt }) => /(first|second) about T \w+/.exec(prompt)?.[0])
const keysOf = () =>
  vendor.calls.slice(callsBefore).map(({ headers }) => headers['idempotency-key'])
const stepsOf = async (flow: string) => {
  const sql = `SELECT step FROM flow_steps WHERE flow = '${flow}'`
  const statement = await workers.ask('F_ASK_TWICE', 'd1', 'ITEMS_DB', 'prepare', sql)
  return z.looseObject({ results: z.array(z.unknown()) }).parse(await callMethod(statement, 'all'))
    .results
}
const EACH_ONCE = ['a', 'b', 'c']
  .flatMap((id) => [`first about T ${id}`, `second about T ${id}`])
  .toSorted()

it(
  'calls the model once per step and item while the last step fails, also after a restart',
  async () => {
    feedItems = ['a', 'b', 'c']
    checkStatus = 503
    await fire('F_ASK_TWICE', 0)
    expect(callsOf().toSorted()).toEqual(EACH_ONCE)
    await fire('F_ASK_TWICE', 12)
    await workers.stop()
    await start()
    await fire('F_ASK_TWICE', 24)
    expect(checks).toHaveLength(9)
    expect(await stepsOf('f-ask-twice')).toHaveLength(6)
    checkStatus = 200
    await fire('F_ASK_TWICE', 48)
    expect(received).toEqual(['a', 'b', 'c'])
    expect(callsOf().toSorted()).toEqual(EACH_ONCE)
    expect(await stepsOf('f-ask-twice')).toEqual([])
  },
  START_LIMIT_MS,
)

it(
  'continues after the finished steps if the workers were killed during one',
  async () => {
    feedItems = ['k']
    checkStatus = undefined
    const begun = new Promise<void>((resolve) => {
      onCheck = resolve
    })
    const run = fire('F_ASK_TWICE', 49).catch(() => undefined)
    await begun
    await expect.poll(() => stepsOf('f-ask-twice')).toHaveLength(2)
    await workers.stop()
    await run
    checkStatus = 200
    await start()
    await fire('F_ASK_TWICE', 50)
    expect(received).toEqual(['k'])
    expect(callsOf()).toEqual(['first about T k', 'second about T k'])
  },
  START_LIMIT_MS,
)

it(
  'repeats a call with its key until an answer is received, but not one whose answer did not help',
  async () => {
    feedItems = ['r']
    vendor.script({ hang: true })
    const run = fire('F_ASK_TWICE', 52).catch(() => undefined)
    await expect.poll(callsOf).toEqual(['first about T r'])
    await workers.stop()
    await run
    await start()
    startStatus = 500
    await fire('F_ASK_TWICE', 53)
    startStatus = 200
    vendor.script({ text: '' }, { status: 403 })
    await fire('F_ASK_TWICE', 56)
    await fire('F_ASK_TWICE', 62)
    await fire('F_ASK_TWICE', 74)
    expect(received).toEqual(['r'])
    expect(await stepsOf('f-ask-twice')).toEqual([])
    const [lost, empty, ...later] = keysOf()
    expect(empty).toBe(lost)
    // The second answer is asked for until it comes, whatever failed in between.
    const second = later.pop()
    expect(new Set(later)).toHaveLength(1)
    expect(new Set([lost, later[0], second])).toHaveLength(3)
  },
  START_LIMIT_MS,
)

it(
  'continues after the branches and elements that were done, also after a restart',
  async () => {
    const calls = ['first about T e', 'second about T x', 'second about T y']
    feedItems = ['e']
    checkStatus = 503
    await fire('F_ASK_EACH', 0)
    expect(callsOf().toSorted()).toEqual(calls)
    expect(keysOf()).not.toContain(undefined)
    expect(new Set(keysOf())).toHaveLength(3)
    expect(await stepsOf('f-ask-each')).toHaveLength(3)
    await workers.stop()
    await start()
    await fire('F_ASK_EACH', 12)
    checkStatus = 200
    await fire('F_ASK_EACH', 24)
    expect(checks).toHaveLength(3)
    expect(received).toEqual(['e'])
    expect(callsOf().toSorted()).toEqual(calls)
    expect(await stepsOf('f-ask-each')).toEqual([])
  },
  START_LIMIT_MS,
)

it('continues in the iteration of a loop that failed', async () => {
  feedItems = ['l']
  onCheck = () => {
    checkStatus = checks.length === 2 ? 503 : 200
  }
  await fire('F_ASK_LOOP', 0)
  expect(received).toEqual([])
  await fire('F_ASK_LOOP', 12)
  expect(received).toEqual(['l'])
  expect(checks).toHaveLength(3)
  expect(callsOf()).toEqual([1, 2].flatMap(() => ['first about T l', 'second about T l']))
  expect(new Set(keysOf())).toHaveLength(4)
})

it(
  'runs every step again with another version of the pipeline or another input',
  async () => {
    feedItems = ['v']
    checkStatus = 503
    await fire('F_ASK_TWICE', 60)
    await workers.stop()
    await start('two')
    await fire('F_ASK_TWICE', 72)
    expect(callsOf()).toHaveLength(4)
    await fire('F_ASK_TWICE', 84)
    expect(callsOf()).toHaveLength(4)
    description = 'another text'
    await fire('F_ASK_TWICE', 96)
    expect(callsOf()).toHaveLength(6)
  },
  START_LIMIT_MS,
)

it('continues with the items of a queue', async () => {
  const message = {
    feed_url: 'https://example.org/feed.xml',
    enqueued_at: '2026-11-16T10:00:00Z',
    item: {
      id: 'q',
      title: 'T q',
      link: null,
      content: 'q',
      published: null,
      updated: null,
      author: null,
      summary: null,
      categories: [],
      enclosures: [],
    },
  }
  checkStatus = 503
  const failed = await workers.deliver('F_ASK_QUEUE', 'feed-items', [message])
  expect(failed.retryMessages).toHaveLength(1)
  checkStatus = 200
  const done = await workers.deliver('F_ASK_QUEUE', 'feed-items', [message])
  expect(done.explicitAcks).toHaveLength(1)
  expect(callsOf()).toEqual(['first about T q', 'second about T q'])
  expect(await stepsOf('f-ask-queue')).toEqual([])
})
