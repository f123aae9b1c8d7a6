import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  createTemporaryHome,
  type TemporaryHome,
} from '../../../platform/src/testing/temporary-home.ts'
import type { LocalRuntime } from '../local-runtime.ts'
import { openLocalRuntime } from '../open-local-runtime.ts'

/** As `steward new` writes it to USER/lib. */
const TYPED_IMPORT = join(import.meta.dirname, '../../../cli/types/steward.ts')
const DECIDE = { name: 'A_DECIDE_ITEM', description: 'Decides.', input: {}, output: {} }

let home: TemporaryHome
let steward: LocalRuntime
let server: Server
let address = ''
let handle: (request: IncomingMessage, response: ServerResponse) => void = () => undefined

beforeAll(async () => {
  home = createTemporaryHome()
  home.action('A_PASS_ON', 'return input')
  home.pipeline('P_PASS_ON', ['A_PASS_ON'])
  server = createServer((request, response) => handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const at = server.address()
  if (at === null || typeof at === 'string') throw new Error('no port')
  address = `http://127.0.0.1:${at.port}`
  const execution = { fetch: { allowPrivateHosts: [`127.0.0.1:${at.port}`] } }
  home.write('settings.json', JSON.stringify({ execution }))
  steward = await open()
})
afterAll(async () => {
  await steward.close()
  server.closeAllConnections()
  server.close()
  home.remove()
})

const open = () =>
  openLocalRuntime({
    env: { STEWARD_HOME: home.path, PATH: process.env.PATH, CHAT_URL: `${address}/chat` },
    homedir: home.path,
    builtIn: join(home.path, 'library'),
  })
const trigger = async (signal?: AbortSignal) => {
  const { summary } = await steward.flows.trigger('F_TEST_FLOW', signal ? { signal } : {})
  return summary
}

const define = (id: string, given: object) =>
  home.flows({
    id,
    name: 'F_TEST_FLOW',
    pipeline: 'P_PASS_ON',
    destination: { type: 'file', path: `${id}.jsonl` },
    schedule: { intervalMinutes: 60, enabled: true },
    ...given,
  })
const items = (id: string) =>
  readFileSync(join(home.path, `OUTPUT/${id}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).item)

it('loses no page of an API: not when a run is stopped, nor by limits of requests', async () => {
  const asked: string[] = []
  let isLimited = false
  handle = ({ url = '' }, response) => {
    asked.push(url)
    if (isLimited) return response.writeHead(429, { 'retry-after': '3600' }).end()
    const page = Number(new URL(url, address).searchParams.get('page'))
    response.end(JSON.stringify(page > 4 ? [] : [{ id: page * 2 - 1 }, { id: page * 2 }]))
  }
  const pagination = { by: 'page', maxPages: 2 }
  define('pages', { source: { type: 'api', url: `${address}/list`, pagination }, maxItems: 3 })
  expect(await trigger()).toMatchObject({ items: { found: 4, delivered: 3, postponed: 1 } })
  await steward.close()
  steward = await open()
  // Stopped before it has read its source: the next run starts at the same page.
  await expect(trigger(AbortSignal.abort())).rejects.toThrow()
  expect(await trigger()).toMatchObject({ items: { found: 4, delivered: 3, postponed: 2 } })
  isLimited = true
  const limited = await trigger()
  expect(limited).toMatchObject({ outcome: 'delivered', items: { delivered: 2 } })
  expect(limited.reason).toContain('retry later, after')
  const paused = { outcome: 'nothing-new', reason: expect.stringContaining('retry later, after') }
  expect(await trigger()).toMatchObject(paused)
  expect(items('pages')).toEqual(['1', '2', '3', '4', '5', '6', '7', '8'])
  expect(asked.map((each) => each.slice('/list?page='.length))).toEqual(['1', '2', '3', '4', '5'])
})

it('settles items as their action decides with the typed import', async () => {
  home.write('USER/lib/steward.ts', readFileSync(TYPED_IMPORT, 'utf8'))
  home.write('USER/ACTIONS/A_DECIDE_ITEM/action.json', JSON.stringify(DECIDE))
  home.write(
    'USER/ACTIONS/A_DECIDE_ITEM/action.ts',
    `import { filter, progress, reject, retryLater } from '../../lib/steward.ts'
    export const execute = (input, context) => {
      progress(context, 1, 2, 'checks')
      if (input.title === 'dull') filter('not about ice')
      if (input.title === 'bad') reject('it has no text')
      if (input.title === 'busy') retryLater('no seats', 7200)
      return {}
    }`,
  )
  home.pipeline('P_DECIDE_ITEM', ['A_DECIDE_ITEM', 'A_PASS_ON'])
  const list = ['good', 'dull', 'bad', 'busy'].map((title) => ({ id: title, title }))
  handle = (_, response) => void response.end(JSON.stringify(list))
  const source = { type: 'api', url: `${address}/decide` }
  define('decide', { source, pipeline: 'P_DECIDE_ITEM' })
  expect(await trigger()).toMatchObject({
    items: { delivered: 1, filtered: 1, rejected: 1, failed: 1 },
    errors: [
      { item: 'bad', code: 'rejected_content', message: 'it has no text' },
      { item: 'busy', code: 'upstream_failed', message: 'no seats' },
    ],
  })
  const { runId, result } = await steward.runner.run('P_DECIDE_ITEM', { title: 'dull' })
  expect(result).toMatchObject({ filtered: 'A_DECIDE_ITEM: not about ice' })
  expect(steward.history.get(runId)).toMatchObject({
    status: 'filtered',
    steps: [{ status: 'filtered', logs: [{ text: '1 of 2 checks' }] }],
  })
})

it('posts to a chat, waits as long as it asks, and never shows its address', async () => {
  const posts: string[] = []
  let isLimited = true
  handle = (request, response) => {
    if (request.url === '/feed') return response.end(JSON.stringify([{ id: 1, title: 'T' }]))
    if (isLimited) return response.writeHead(429, { 'retry-after': '1' }).end('slow')
    request.setEncoding('utf8').on('data', (text: string) => posts.push(text))
    request.on('end', () => response.end('ok'))
  }
  const destination = { type: 'slack', secret: 'CHAT_URL', message: 'Read {title}' }
  define('chat', { source: { type: 'api', url: `${address}/feed` }, destination })
  const first = await trigger()
  expect(first).toMatchObject({ outcome: 'partial', items: { waiting: 1 } })
  expect(JSON.stringify(first)).not.toContain('/chat')
  isLimited = false
  await steward.flows.retry('F_TEST_FLOW', {})
  expect(posts.map((text) => JSON.parse(text))).toEqual([{ text: '*T*\n\nRead T' }])
})
