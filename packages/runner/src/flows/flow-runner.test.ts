import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { flowState } from '@steward/contract'
import { type FlowNotice, signWebhook } from '@steward/engine'
import { createRedactor, resolveHome } from '@steward/platform'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createTemporaryHome,
  type TemporaryHome,
} from '../../../platform/src/testing/temporary-home.ts'
import { type ActionHosts, createActionHosts } from '../action-host/index.ts'
import { catalogRoots, createCatalog } from '../catalog/index.ts'
import { createFlowRunner } from '../create-flow-runner.ts'
import { type Feeds, openFeeds } from '../feed-store/index.ts'
import { createOpenLedger } from '../history/flow-items.ts'
import { openHistory, type StoredHistory } from '../history/index.ts'
import { createRunner, type Progress } from '../runner/index.ts'
import { recordFlowState } from './flow-state.ts'
import type { FlowRunner } from './index.ts'

const DAY = 86_400_000

let home: TemporaryHome
let history: StoredHistory
let hosts: ActionHosts
let flows: FlowRunner
let feeds: Feeds
let servers: Server[]
let clock: number
let notices: FlowNotice[]

const open = () => {
  history = openHistory({
    directory: join(home.path, 'state'),
    redactor: createRedactor({}),
  })
  const catalog = createCatalog(catalogRoots(join(home.path, 'USER'), join(home.path, 'library')))
  const secret = (name: string) => ({ HOOK_SECRET: 's3cret', API_KEY: 'k3y' })[name]
  const now = () => clock++
  const runner = createRunner({
    catalog,
    history,
    hosts,
    now,
    model: () => Promise.reject(new Error('no model in this test')),
    fetch,
    readFile: async () => '',
    path: '',
    shell: () => () => Promise.reject(new Error('no shell in this test')),
    secret,
    budgets: () => ({}),
  })
  feeds = openFeeds(
    resolveHome({ STEWARD_HOME: home.path }),
    { allowPrivateHosts: ['127.0.0.1'] },
    now,
  )
  flows = createFlowRunner(catalog, {
    runner,
    feeds,
    producer: feeds.queue,
    history,
    ledger: createOpenLedger(history.database, createRedactor({})),
    random: () => 0.5,
    zone: () => 'UTC',
    now,
    fetch,
    secret,
    sendNotice: async (notice) => {
      notices.push(notice)
      return { notice: notice.key }
    },
    writeNote: () => Promise.reject(new Error('no notes in this test')),
    readUsage: () => Promise.reject(new Error('no usage in this test')),
    shell: () => () => Promise.reject(new Error('no shell in this test')),
    path: '',
    folders: { roots: [join(home.path, 'OUTPUT')] },
    locks: join(home.path, 'state/locks'),
    database: join(home.path, 'state/flows.sqlite'),
    recordState: ({ flow }, { summary }) =>
      recordFlowState(join(home.path, 'flow-state.json'), flow, summary),
  })
}

const serve = async (
  answer: (request: { url: string; headers: Record<string, unknown>; body: string }) => {
    status?: number
    body: string
  },
) => {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { status = 200, body: text } = answer({
      url: request.url ?? '',
      headers: request.headers,
      body,
    })
    response.writeHead(status).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  servers.push(server)
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

const flow = (extra: Record<string, unknown> = {}) => ({
  id: 'flow-test',
  name: 'F_TEST_FLOW',
  source: { type: 'rss', url: 'feed.xml' },
  pipeline: 'P_SHOUT',
  destination: { type: 'file', path: 'out.jsonl' },
  schedule: { intervalMinutes: 60, enabled: true },
  ...extra,
})

const feed = (...titles: string[]) =>
  `<rss version="2.0"><channel><title>T</title>${titles
    .map(
      (title) =>
        `<item><guid>${title}</guid><title>${title}</title><description>text of ${title}</description></item>`,
    )
    .join('')}</channel></rss>`

const lines = (file = 'out.jsonl'): unknown[] =>
  readFileSync(join(home.path, 'OUTPUT', file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

const stateOf = (id = 'flow-test') =>
  flowState.parse(JSON.parse(readFileSync(join(home.path, 'flow-state.json'), 'utf8'))).flows[id]

beforeEach(() => {
  home = createTemporaryHome()
  hosts = createActionHosts()
  servers = []
  notices = []
  clock = 1_000_000
  home.action('A_SHOUT_TITLE', 'return { shout: String(input.title).toUpperCase() }')
  home.action('A_ADD_BODY', 'return { body: `## ${input.shout}` }')
  home.pipeline('P_SHOUT', ['A_SHOUT_TITLE', 'A_ADD_BODY'])
  home.flows(flow())
  home.write('USER/FLOWS/feed.xml', feed('one', 'two'))
  open()
})

afterEach(async () => {
  await hosts.close()
  await history.close()
  await feeds.close()
  for (const server of servers) server.close()
  home.remove()
})

describe('a flow', () => {
  it('runs each item of its source through the pipeline to the destination, and reports it', async () => {
    const { summary, runId } = await flows.trigger('F_TEST_FLOW')
    expect(summary).toMatchObject({
      outcome: 'delivered',
      reason: '2 delivered',
      items: { found: 2, delivered: 2, failed: 0 },
    })
    expect(lines()).toEqual([
      expect.objectContaining({
        item: 'one',
        output: expect.objectContaining({
          shout: 'ONE',
          content: expect.stringContaining('text of one'),
        }),
      }),
      expect.objectContaining({ item: 'two', output: expect.objectContaining({ shout: 'TWO' }) }),
    ])
    expect(stateOf()).toMatchObject({
      name: 'F_TEST_FLOW',
      enabled: true,
      runs: 1,
      lastRun: { runId },
    })
    expect(history.get(runId)).toMatchObject({
      primitive: 'flow',
      status: 'completed',
      steps: [{ action: 'source' }, { action: 'item' }, { action: 'item' }],
      children: [{ name: 'P_SHOUT' }, { name: 'P_SHOUT' }],
    })
  })

  it('processes only new items, by identity, whatever their date', async () => {
    await flows.trigger('flow-test')
    home.write('USER/FLOWS/feed.xml', feed('three', 'one', 'two'))
    const { summary } = await flows.trigger('flow-test')
    expect(summary.items).toMatchObject({ found: 3, alreadySeen: 2, delivered: 1 })
    const { summary: third } = await flows.trigger('flow-test')
    expect(third).toMatchObject({ outcome: 'nothing-new', reason: 'all 3 items were seen before' })
    expect(lines()).toHaveLength(3)
    expect(stateOf()).toMatchObject({ runs: 3, lastRun: { outcome: 'nothing-new' } })
  })

  it('refuses while it is disabled, unless forced', async () => {
    home.flows(flow({ schedule: { intervalMinutes: 60, enabled: false } }))
    await expect(flows.trigger('F_TEST_FLOW')).rejects.toMatchObject({ code: 'flow_disabled' })
    expect(history.list()).toEqual([])
    expect((await flows.trigger('F_TEST_FLOW', { force: true })).summary.outcome).toBe('delivered')
  })

  it('runs once at a time', async () => {
    const both = await Promise.allSettled([
      flows.trigger('F_TEST_FLOW'),
      flows.trigger('F_TEST_FLOW'),
    ])
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'run_active' },
    })
    expect(lines()).toHaveLength(2)
  })

  it('leaves items beyond its limit for the next run', async () => {
    home.flows(flow({ maxItems: 1 }))
    expect((await flows.trigger('F_TEST_FLOW')).summary.items).toMatchObject({
      delivered: 1,
      postponed: 1,
    })
    expect((await flows.trigger('F_TEST_FLOW')).summary.items).toMatchObject({
      delivered: 1,
      alreadySeen: 1,
      postponed: 0,
    })
  })

  it('isolates a failing item, retries it, and gives up in the end', async () => {
    home.action(
      'A_SHOUT_TITLE',
      "if (input.title === 'two') throw new Error('cannot shout two'); return { shout: 'ok' }",
    )
    const first = await flows.trigger('F_TEST_FLOW')
    expect(first.summary).toMatchObject({
      outcome: 'partial',
      items: { delivered: 1, failed: 1 },
      errors: [{ item: 'two', message: 'A_SHOUT_TITLE failed: cannot shout two' }],
    })
    await flows.trigger('F_TEST_FLOW')
    expect((await flows.trigger('F_TEST_FLOW')).summary.items).toMatchObject({
      failed: 1,
      alreadySeen: 1,
    })
    clock += 7 * DAY
    expect((await flows.trigger('F_TEST_FLOW')).summary).toMatchObject({
      outcome: 'partial',
      items: { failed: 0, givenUp: 1 },
    })
    expect((await flows.trigger('F_TEST_FLOW')).summary).toMatchObject({
      outcome: 'partial',
      reason: '0 delivered, 1 given up, 2 seen before',
    })
    home.write('USER/FLOWS/feed.xml', feed('one'))
    expect((await flows.trigger('F_TEST_FLOW')).summary).toMatchObject({ outcome: 'nothing-new' })
  })

  it('does not retry a rejected item', async () => {
    home.action(
      'A_SHOUT_TITLE',
      "throw Object.assign(new Error('too short'), { name: 'StewardError', code: 'rejected_content' })",
    )
    expect((await flows.trigger('F_TEST_FLOW')).summary).toMatchObject({
      outcome: 'failed',
      items: { rejected: 2 },
    })
    expect((await flows.trigger('F_TEST_FLOW')).summary.outcome).toBe('nothing-new')
  })

  it('reports why when the source cannot be read, and counts consecutive failures', async () => {
    home.write('USER/FLOWS/feed.xml', '<html><body>not a feed</body></html>')
    await flows.trigger('F_TEST_FLOW')
    const { summary, runId } = await flows.trigger('F_TEST_FLOW')
    expect(summary).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('the source could not be read'),
    })
    expect(stateOf()).toMatchObject({ consecutiveFailures: 2 })
    expect(history.get(runId)).toMatchObject({
      status: 'failed',
      error: { code: 'feed_unreadable' },
    })
  })

  it('reports progress', async () => {
    const seen: Progress[] = []
    await flows.trigger('F_TEST_FLOW', { onProgress: (progress) => seen.push(progress) })
    expect(seen).toContainEqual(
      expect.objectContaining({ kind: 'note', message: 'delivered: one' }),
    )
  })

  it('is resumed after an interruption: delivered items stay, the rest is done, nothing twice', async () => {
    const stop = new AbortController()
    const onProgress = (progress: Progress) => {
      if (progress.kind === 'note' && progress.message === 'stop') stop.abort(new Error('stopped'))
    }
    home.flows(flow({ concurrency: 1 }))
    home.action(
      'A_SHOUT_TITLE',
      "if (input.title === 'two') context.log('stop'); await new Promise((done) => setImmediate(done)); return { shout: 'x' }",
    )
    await expect(flows.trigger('F_TEST_FLOW', { signal: stop.signal, onProgress })).rejects.toThrow(
      'stopped',
    )
    expect(lines()).toHaveLength(1)
    await history.close()
    open()
    home.write('USER/FLOWS/feed.xml', feed('gone'))
    const [left] = history.list({ status: 'interrupted', primitive: 'flow' })
    const { summary } = await flows.resume(left?.id ?? '')
    expect(summary.items).toMatchObject({ found: 2, delivered: 2 })
    expect(lines()).toHaveLength(2)
    expect(history.list({ status: 'interrupted' })).toEqual([])
  })

  it('runs once per idempotency key: a repeated call continues it or returns its result', async () => {
    const idempotencyKey = 'task:flow:flow-test:2026-11-16T06:00:00.000Z'
    await expect(
      flows.trigger('F_TEST_FLOW', {
        idempotencyKey,
        onEnding: () => {
          throw new Error('killed')
        },
      }),
    ).rejects.toThrow('killed')
    await history.close()
    open()
    const continued = await flows.trigger('F_TEST_FLOW', { idempotencyKey })
    home.write('USER/FLOWS/feed.xml', feed('three'))
    const again = await flows.trigger('F_TEST_FLOW', { idempotencyKey })
    expect(again).toMatchObject({
      runId: continued.runId,
      summary: { outcome: 'delivered', items: { delivered: 2 }, errors: [] },
    })
    expect(history.list({ primitive: 'flow' })).toMatchObject([{ status: 'completed' }])
    expect(lines()).toHaveLength(2)

    home.write('USER/FLOWS/feed.xml', 'no feed')
    const failed = await flows.trigger('F_TEST_FLOW', { idempotencyKey: 'other' })
    const failedAgain = await flows.trigger('F_TEST_FLOW', { idempotencyKey: 'other' })
    expect(failedAgain.runId).toBe(failed.runId)
    expect(failedAgain.summary.outcome).toBe('failed')
  })
})

describe('the end of a run', () => {
  it('is reported before it is stored, and again by the resumer if it was not stored', async () => {
    home.write('USER/FLOWS/feed.xml', 'no feed')
    const told: string[] = []
    await expect(
      flows.trigger('F_TEST_FLOW', {
        onEnding: ({ runId, summary }) => {
          told.push(`${runId} ${summary.outcome} ${history.get(runId)?.status}`)
          throw new Error('killed')
        },
      }),
    ).rejects.toThrow('killed')
    await history.close()
    open()
    const [left] = history.list({ status: 'interrupted', primitive: 'flow' })
    await flows.resume(left?.id ?? '', {
      onEnding: async ({ runId, summary }) => {
        told.push(`${runId} ${summary.outcome} ${history.get(runId)?.status}`)
      },
    })
    expect(told).toEqual([`${left?.id} failed running`, `${left?.id} failed running`])
    expect(history.get(left?.id ?? '')?.status).toBe('failed')
  })
})
describe('loop gate', () => {
  it('calls the pipeline again until the criterion is met', async () => {
    home.action(
      'A_SHOUT_TITLE',
      'return { score: ((input.previousResult?.score) ?? 0) + 40, shout: `round ${input.iteration}` }',
      { output: { score: { type: 'number' } } },
    )
    home.flows(
      flow({ loop: { field: 'score', op: 'gte', value: 100, maxIterations: 5 }, maxItems: 1 }),
    )
    const { runId } = await flows.trigger('F_TEST_FLOW')
    expect(lines()).toEqual([
      expect.objectContaining({
        output: expect.objectContaining({ score: 120, shout: 'round 2' }),
      }),
    ])
    const detail = history.get(runId)
    expect(detail?.children).toHaveLength(3)
    expect(detail?.steps[1]?.output).toMatchObject({ loop: { iterations: 3, passed: true } })
  })
})

describe('sources', () => {
  it('api: items and identities by path, secrets in headers', async () => {
    const url = await serve(({ headers }) => ({
      body:
        headers.authorization === 'Bearer k3y'
          ? JSON.stringify({ data: { list: [{ key: 7, name: 'seven' }] } })
          : '{}',
    }))
    home.flows(
      flow({
        source: {
          type: 'api',
          url,
          items: '$.data.list',
          id: '$.key',
          title: '$.name',
          headers: { authorization: 'Bearer ${API_KEY}' },
        },
      }),
    )
    await flows.trigger('F_TEST_FLOW')
    expect(lines()).toEqual([
      expect.objectContaining({ item: '7', output: expect.objectContaining({ shout: 'SEVEN' }) }),
    ])
  })

  it('file: text, json, jsonl and folders', async () => {
    home.flows(flow({ source: { type: 'file', path: 'inbox' }, concurrency: 1 }))
    home.write('USER/FLOWS/inbox/a-note.md', 'hello')
    home.write('USER/FLOWS/inbox/b.json', '[{"id":"b1","title":"bee"}]')
    home.write('USER/FLOWS/inbox/c.jsonl', '{"id":"c1","title":"sea"}\n{"id":"c2","title":"see"}\n')
    await flows.trigger('F_TEST_FLOW')
    expect(lines()).toMatchObject([
      { output: { shout: 'A NOTE', content: 'hello' } },
      { item: 'b1' },
      { item: 'c1' },
      { item: 'c2' },
    ])
    home.write('USER/FLOWS/inbox/a-note.md', 'hello again')
    expect((await flows.trigger('F_TEST_FLOW')).summary.items).toMatchObject({
      delivered: 1,
      alreadySeen: 3,
    })
  })

  it('webhook: only a body signed with the secret, and only once', async () => {
    home.flows(flow({ source: { type: 'webhook', secret: 'HOOK_SECRET', items: '$.items' } }))
    const body = new TextEncoder().encode('{"items":[{"id":"w1","title":"web"}]}')
    await expect(flows.trigger('F_TEST_FLOW')).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(
      flows.trigger('F_TEST_FLOW', { webhook: { body, header: () => 'sha256=00' } }),
    ).rejects.toMatchObject({
      code: 'signature_invalid',
    })
    expect(history.list()).toEqual([])
    const signature = await signWebhook('s3cret', body)
    const webhook = {
      body,
      header: (name: string) => (name === 'x-signature-256' ? signature : undefined),
    }
    expect((await flows.trigger('F_TEST_FLOW', { webhook })).summary.items.delivered).toBe(1)
    expect((await flows.trigger('F_TEST_FLOW', { webhook })).summary.items.alreadySeen).toBe(1)
  })

  it('rss over the web: reports the status of a failure', async () => {
    const url = await serve(() => ({ status: 403, body: 'no' }))
    home.flows(flow({ source: { type: 'rss', url } }))
    expect((await flows.trigger('F_TEST_FLOW')).summary.reason).toContain('status 403')
  })
})

describe('destinations', () => {
  it('markdown file: one section per item, under the name of the flow', async () => {
    home.flows(flow({ destination: { type: 'file', path: 'digest.md' }, concurrency: 1 }))
    await flows.trigger('F_TEST_FLOW')
    const text = readFileSync(join(home.path, 'OUTPUT/digest.md'), 'utf8')
    expect(text.replace(/<!--.*?-->/g, '<!---->')).toBe(
      '# F_TEST_FLOW\n\n<!---->\n## ONE\n\n<!---->\n## TWO\n',
    )
  })

  it('json file: one array', async () => {
    home.flows(flow({ destination: { type: 'file', path: 'all.json' }, concurrency: 1 }))
    await flows.trigger('F_TEST_FLOW')
    expect(JSON.parse(readFileSync(join(home.path, 'OUTPUT/all.json'), 'utf8'))).toMatchObject([
      { item: 'one' },
      { item: 'two' },
    ])
  })

  it('database: one row per item', async () => {
    home.flows(flow({ destination: { type: 'database', table: 'news' } }))
    await flows.trigger('F_TEST_FLOW')
    const database = new DatabaseSync(join(home.path, 'state/flows.sqlite'), { readOnly: true })
    expect(database.prepare('SELECT item, title FROM news ORDER BY item').all()).toMatchObject([
      { item: 'one', title: 'one' },
      { item: 'two', title: 'two' },
    ])
    expect(database.prepare('PRAGMA user_version').get()).toMatchObject({ user_version: 1 })
    database.close()
  })

  it('database: refuses a file of a newer version, and gives files of yours no version', async () => {
    const path = join(home.path, 'state/flows.sqlite')
    const newer = new DatabaseSync(path)
    newer.exec('PRAGMA user_version = 9')
    newer.close()
    home.flows(flow({ destination: { type: 'database', table: 'news' } }))
    expect((await flows.trigger('F_TEST_FLOW')).summary).toMatchObject({
      outcome: 'failed',
      blocked: { message: expect.stringContaining('a newer Steward wrote it') },
      items: { waiting: 2 },
    })
    home.flows(flow({ destination: { type: 'database', table: 'news', path: 'mine.sqlite' } }))
    expect((await flows.trigger('F_TEST_FLOW')).summary.items).toMatchObject({ delivered: 2 })
    const mine = new DatabaseSync(join(home.path, 'OUTPUT/mine.sqlite'), { readOnly: true })
    expect(mine.prepare('PRAGMA user_version').get()).toMatchObject({ user_version: 0 })
    mine.close()
  })

  it('api: posts JSON with an idempotency key; a refusal is a failure', async () => {
    const posted: Array<{ key: unknown; body: string }> = []
    const url = await serve(({ headers, body }) => {
      posted.push({ key: headers['idempotency-key'], body })
      return { status: body.includes('"two"') ? 500 : 201, body: '' }
    })
    home.flows(flow({ destination: { type: 'api', url } }))
    expect((await flows.trigger('F_TEST_FLOW')).summary).toMatchObject({
      items: { delivered: 1, waiting: 1 },
    })
    const again = await flows.trigger('F_TEST_FLOW')
    expect(again.summary.items.waiting).toBe(1)
    const keys = posted.filter(({ body }) => body.includes('"two"')).map(({ key }) => key)
    expect(keys).toHaveLength(2)
    expect(new Set(keys).size).toBe(1)
  })

  it('notify: one notice per item, its texts filled from the output, with an idempotency key', async () => {
    home.action('A_SHOUT_TITLE', 'return { shout: input.title, url: "https://example.org/a" }')
    home.flows(
      flow({
        destination: {
          type: 'notify',
          kind: 'error',
          title: 'News: {title}',
          message: '{shout} of {nowhere}',
        },
        maxItems: 1,
      }),
    )
    const { runId } = await flows.trigger('F_TEST_FLOW')
    expect(notices).toEqual([
      {
        key: expect.stringMatching(/^flow\/[0-9a-f]{32}$/),
        kind: 'error',
        title: 'News: one',
        message: 'one of {nowhere}',
        click: 'https://example.org/a',
      },
    ])
    expect(history.get(runId)?.steps[1]?.output).toMatchObject({
      receipt: { notice: notices[0]?.key },
    })
  })
  it('notify: without texts of its own, the readable text of the item', async () => {
    home.flows(flow({ destination: { type: 'notify' }, maxItems: 1 }))
    await flows.trigger('F_TEST_FLOW')
    expect(notices).toMatchObject([{ title: '[F_TEST_FLOW] one', message: '## ONE' }])
  })
  it('email: runs A_SEND_EMAIL with recipient, subject and body', async () => {
    home.action('A_SEND_EMAIL', 'return { success: true, message_id: `<${input.to}>` }')
    home.flows(flow({ destination: { type: 'email', address: 'me@example.org' }, maxItems: 1 }))
    const { runId } = await flows.trigger('F_TEST_FLOW')
    const mail = history.list({ name: 'A_SEND_EMAIL' })[0]
    expect(history.get(mail?.id ?? '')?.input).toEqual({
      to: 'me@example.org',
      subject: '[F_TEST_FLOW] one',
      body: '## ONE',
    })
    expect(history.get(runId)?.steps[1]?.output).toMatchObject({
      receipt: { message_id: '<me@example.org>' },
    })
  })
})
