import { createServer, type Server } from 'node:http'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  createTemporaryHome,
  type TemporaryHome,
} from '../../../../platform/src/testing/temporary-home.ts'
import { runCli } from '../../run-cli.ts'
import { memoryIo } from '../../testing/memory-io.ts'

let home: TemporaryHome
let receiver: Server
let status: number
let received: string[]

const run = async (...args: string[]) => {
  const env = {
    STEWARD_HOME: home.path,
    LLM_PROVIDER: 'offline',
    PATH: process.env.PATH,
    AUTH_TOKEN: 'token-of-the-worker',
  }
  const io = memoryIo({ args, env, homedir: home.path, cwd: home.path, now: Date.now })
  return { code: await runCli(io), out: io.out.text(), err: io.err.text() }
}
const flow = (extra: Record<string, unknown> = {}) => {
  const address = receiver.address()
  const port = typeof address === 'object' ? address?.port : ''
  return {
    id: 'news',
    name: 'F_NEWS_POST',
    source: { type: 'rss', url: 'feed.xml' },
    pipeline: 'P_MARK',
    destination: { type: 'api', url: `http://127.0.0.1:${port}/` },
    schedule: { intervalMinutes: 60, enabled: true },
    ...extra,
  }
}

beforeEach(async () => {
  home = createTemporaryHome()
  received = []
  status = 500
  receiver = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    if (status < 300) received.push(JSON.parse(body).item)
    response.writeHead(status).end()
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const settings = { execution: { fetch: { allowPrivateHosts: ['127.0.0.1'] } } }
  home.write('settings.json', JSON.stringify(settings))
  const items = ['a', 'b'].map(
    (name) => `<item><guid>${name}</guid><title>T ${name}</title></item>`,
  )
  const feed = `<rss version="2.0"><channel><title>T</title>${items.join('')}</channel></rss>`
  home.write('USER/FLOWS/feed.xml', feed)
  home.action('A_MARK_ITEM', 'return { marked: true }')
  home.pipeline('P_MARK', ['A_MARK_ITEM'])
  home.flows(flow())
})

afterEach(() => {
  receiver.closeAllConnections()
  receiver.close()
  home.remove()
})

test('items that wait are listed with their reason, and retried by one command', async () => {
  expect(await run('trigger', 'F_NEWS_POST', '--quiet')).toMatchObject({
    code: 6,
    out: expect.stringContaining('2 waiting for the destination'),
  })
  const listed = await run('flows', 'items', 'F_NEWS_POST', '--json')
  expect(listed.code).toBe(0)
  expect(JSON.parse(listed.out).items).toMatchObject([
    { id: 'b', title: 'T b', state: 'waiting', attempts: 0 },
    { id: 'a', state: 'waiting', attempts: 1, error: expect.stringContaining('status 500') },
  ])
  const table = await run('flows', 'items', 'news', '--state', 'delivered')
  expect(table).toMatchObject({ code: 0, out: 'no items\n' })
  status = 200
  expect(await run('flows', 'retry', 'F_NEWS_POST', 'b', '--quiet')).toMatchObject({ code: 0 })
  expect(await run('flows', 'retry', 'F_NEWS_POST', '--quiet')).toMatchObject({ code: 0 })
  expect(received).toEqual(['b', 'a'])
  expect(await run('flows', 'retry', 'F_NEWS_POST')).toMatchObject({ code: 3 })
  expect(await run('trigger', 'F_NEWS_POST', '--quiet')).toMatchObject({ code: 0 })
})

test('items of a deployed flow are listed and retried by the same commands', async () => {
  const item = {
    ...{ id: 'a', title: 'T a', state: 'given-up', attempts: 3, nextAttemptAt: null },
    ...{ error: 'status 500', changedAt: '2026-11-15T10:30:00.000Z', runId: 'run-1' },
  }
  const asked: string[] = []
  const worker = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { method, url, headers } = request
    asked.push(`${method} ${url} ${headers.authorization} ${body}`)
    response.setHeader('content-type', 'application/json')
    if (url?.startsWith('/items')) response.end(JSON.stringify({ success: true, items: [item] }))
    else if (body.includes('gone')) {
      response.writeHead(404)
      response.end(JSON.stringify({ success: false, error: 'none left', code: 'not_found' }))
    } else response.end(JSON.stringify({ success: true, run_id: 'run-2' }))
  })
  await new Promise<void>((resolve) => worker.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${Object(worker.address()).port}`
  home.write('settings.json', JSON.stringify({ edge: { workers: { 'exec-f-news-post': url } } }))
  try {
    const listed = await run('flows', 'items', 'F_NEWS_POST', '--edge', '--state', 'given-up')
    expect(listed).toMatchObject({ code: 0, out: expect.stringMatching(/T a +given-up +3/) })
    const retried = await run('flows', 'retry', 'F_NEWS_POST', '--cloud')
    expect(retried).toMatchObject({ code: 0, out: expect.stringContaining('started run run-2') })
    const one = await run('flows', 'retry', 'F_NEWS_POST', 'gone', '--cloud', '--json')
    expect(one).toMatchObject({ code: 3, err: expect.stringContaining('none left') })
    expect(asked).toEqual([
      'GET /items?limit=100&state=given-up Bearer token-of-the-worker ',
      'POST /retry Bearer token-of-the-worker {"all":false}',
      'POST /retry Bearer token-of-the-worker {"items":["gone"]}',
    ])
    expect(await run('flows', 'items', 'news', '--cloud')).toMatchObject({ code: 2 })
  } finally {
    worker.closeAllConnections()
    worker.close()
  }
})

test('a blocked flow exits with the code of its reason, and doctor names it', async () => {
  status = 401
  expect(await run('trigger', 'F_NEWS_POST', '--quiet')).toMatchObject({
    code: 5,
    out: expect.stringContaining('blocked:'),
  })
  const { out } = await run('doctor', '--json')
  expect(out).toContain('F_NEWS_POST is blocked since')
})
