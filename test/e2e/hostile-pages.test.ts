import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { createReaderThreads } from '@steward/platform'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Cli, createCli } from './cli-process.ts'
import { type DaemonProcess, startDaemonProcess } from './daemon-process.ts'
import { clientOf } from './dashboard/play-day.ts'
import { PACKED_LAUNCHER } from './launcher.ts'

const nested = (depth: number): string => `<html><body>${'<div>'.repeat(depth)}text`
const FREEZING: ReadonlyArray<[string, string]> = [
  ['of 5 KB', nested(1000)],
  ['of 1.5 MB', nested(300_000)],
]
/** Within the limits on size and depth, and still seconds of work. */
const SLOW_PAGE = `<html><body>${'<p>words, words</p>'.repeat(36_000)}`
const SLOW_FEED = `<rss><channel>${'<entry><content type="xhtml">'.repeat(400_000)}`

let cli: Cli
let daemon: DaemonProcess
let server: Server
let address = ''
let page = ''

/** As much as one request may carry. */
const beginningOf = (html: string): string => html.slice(0, 900_000)

const flowOf = (name: string, url: string) => ({
  id: name.toLowerCase(),
  name,
  source: { type: 'rss', url },
  pipeline: 'P_SUM_UP',
  destination: { type: 'file', path: `${name}.jsonl`, format: 'jsonl' },
  schedule: { intervalMinutes: 60, enabled: true },
})

beforeAll(async () => {
  cli = createCli()
  server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(page)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${Object(server.address()).port}`
  address = `http://${host}/`
  cli.write(
    'settings.json',
    JSON.stringify({ execution: { fetch: { allowPrivateHosts: [host] } } }),
  )
  cli.write(
    'USER/PIPELINES/P_SUM_UP.yaml',
    'name: P_SUM_UP\ndescription: x\nactions: [A_SUMMARIZE]\n',
  )
  const flows = [
    flowOf('F_READ_PAGE', address),
    flowOf('F_READ_SLOWLY', cli.write('slow.xml', SLOW_FEED)),
  ]
  cli.write('USER/FLOWS/flow-index.json', JSON.stringify({ flows }))
  daemon = await startDaemonProcess(cli)
})
afterAll(async () => {
  await daemon?.kill()
  server?.close()
  cli?.remove()
})

const begin = async (name: string, input = {}): Promise<string> =>
  (await clientOf(daemon).call('startRun', { body: { name, input } })).id

const statusOf = async (id: string): Promise<string> => {
  const { status, error } = await clientOf(daemon).call('getRun', { params: { id } })
  return error?.code ?? status
}

const expectEnd = (id: string, expected: RegExp | string) =>
  expect.poll(() => statusOf(id), { timeout: 60_000 }).toMatch(expected)

const expectHealth = async () => expect(await daemon.health()).toMatchObject({ pid: daemon.pid })

describe.each(FREEZING)('the freezing page %s', (_, html) => {
  it.each([
    [
      'an action that is given it',
      'A_EXTRACT_ARTICLE',
      () => ({ html: beginningOf(html) }),
      'rejected_content',
    ],
    [
      'an action that fetches it',
      'A_EXTRACT_ARTICLE',
      () => ({ url: address }),
      'rejected_content',
    ],
    ['a flow that takes it for a feed', 'F_READ_PAGE', () => ({}), 'feed_unreadable'],
  ])('is refused by %s', async (_case, name, inputOf, code) => {
    page = html
    const id = await begin(name, inputOf())
    await expectHealth()
    await expectEnd(id, code)
  })

  it('is shown as text by the preview of notes', async () => {
    const content = beginningOf(html)
    const { html: shown } = await clientOf(daemon).call('previewMarkdown', { body: { content } })
    expect(shown).toContain('&lt;div&gt;')
    expect(shown).not.toContain('<div>')
  })
})

describe('the daemon answers while it reads', () => {
  it('a page that takes long', async () => {
    const id = await begin('A_EXTRACT_ARTICLE', { html: SLOW_PAGE })
    await expectHealth()
    expect(await statusOf(id)).toBe('running')
    const cancelled = await clientOf(daemon).call('cancelRun', { params: { id }, body: {} })
    expect(cancelled).toEqual({ id, status: 'cancelled' })
    await expectEnd(id, 'run_cancelled')
  })

  it('a feed that takes long', async () => {
    const id = await begin('F_READ_SLOWLY')
    await expectHealth()
    expect(await statusOf(id)).toBe('running')
    await clientOf(daemon).call('cancelRun', { params: { id }, body: {} })
    await expectEnd(id, 'run_cancelled')
  })
})

it('the published program has the module that reads pages for hosted agents', async () => {
  const folder = join(PACKED_LAUNCHER, '../../dist')
  const chunks = readdirSync(join(folder, 'chunks')).map((name) =>
    readFileSync(join(folder, 'chunks', name), 'utf8'),
  )
  expect(chunks.filter((text) => text.includes('/read-page.mjs'))).toHaveLength(1)
  const reader = createReaderThreads<object, { text: string }>({
    module: join(folder, 'read-page.mjs'),
    limitMs: 60_000,
    heapBytes: 256 * 1024 ** 2,
  })
  const html = '<html><head><title>T</title></head><body><p>short &amp; plain'
  const document = { html, address: 'https://a.test/', maxChars: 100 }
  expect(await reader.read(document, 'the page')).toEqual({
    text: '# T\n\nshort & plain',
    chars: 18,
  })
  reader.close()
})
