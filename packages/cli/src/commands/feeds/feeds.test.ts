import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli } from '../../run-cli.ts'
import { memoryIo } from '../../testing/memory-io.ts'

let root: string
let server: Server
let origin: string

const run = async (args: readonly string[], signal?: AbortSignal) => {
  const io = memoryIo({
    args,
    env: { STEWARD_HOME: join(root, 'home'), PATH: process.env.PATH, LLM_PROVIDER: 'offline' },
    cwd: root,
    now: Date.now,
    ...(signal === undefined ? {} : { signal }),
  })
  const code = await runCli(io)
  return { code, out: io.out.text(), err: io.err.text(), io }
}
const runJson = async (...args: string[]) => JSON.parse((await run([...args, '--json'])).out)

const item = (name: string) =>
  `<item><guid>${name}</guid><title>${name}</title><description>${`A sentence about ${name} and the world. `.repeat(12)}</description></item>`

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'steward-feeds-'))
  mkdirSync(join(root, 'home'))
  writeFileSync(
    join(root, 'home', 'settings.json'),
    JSON.stringify({ execution: { fetch: { allowPrivateHosts: ['127.0.0.1'] } } }),
  )
  server = createServer((request, response) => {
    if (request.url === '/broken') response.writeHead(500).end()
    else
      response.end(
        `<rss version="2.0"><channel><title>News</title>${item('a')}${item('b')}</channel></rss>`,
      )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
})

afterEach(() => {
  server.close()
  rmSync(root, { recursive: true, force: true })
})

const feedsJson = () =>
  JSON.parse(readFileSync(join(root, 'home', 'USER', 'FLOWS', 'feeds.json'), 'utf8'))

describe('steward feeds', () => {
  it('adds, shows, updates and removes a feed', async () => {
    expect((await run(['feeds'])).out).toBe('no feeds yet: steward feeds add URL\n')
    const url = `${origin}/feed`
    expect(await run(['feeds', 'add', url, '--category', 'x', '--interval', '30'])).toMatchObject({
      code: 0,
      out: `added News (${url}), 2 items now\n`,
    })
    expect(feedsJson()).toEqual([{ url, title: 'News', categories: ['x'], intervalMinutes: 30 }])
    expect(await runJson('feeds')).toMatchObject([{ url, health: 'unchecked', error_count: 0 }])
    expect((await run(['feeds', 'add', url, '--title', 'Mine', '--no-check'])).out).toBe(
      `updated Mine (${url})\n`,
    )
    expect(await run(['feeds', 'remove', 'Min'])).toMatchObject({
      code: 3,
      err: expect.stringContaining('did you mean Mine?'),
    })
    expect((await run(['feeds', 'remove', 'Mine'])).out).toBe(`removed ${url}\n`)
    expect(feedsJson()).toEqual([])
  })

  it('refuses invalid addresses and warns of unreadable feeds', async () => {
    expect(await run(['feeds', 'add', 'example.com'])).toMatchObject({ code: 2 })
    expect(await run(['feeds', 'add', 'https://me:pw@example.com/'])).toMatchObject({ code: 2 })
    expect(await run(['feeds', 'add', origin, '--interval', '2'])).toMatchObject({ code: 2 })
    expect(await run(['feeds', 'add', `${origin}/broken`])).toMatchObject({
      code: 0,
      err: expect.stringContaining('it cannot be read now'),
    })
  })

  it('leaves an unreadable list unchanged', async () => {
    mkdirSync(join(root, 'home', 'USER', 'FLOWS'), { recursive: true })
    const file = join(root, 'home', 'USER', 'FLOWS', 'feeds.json')
    writeFileSync(file, '[{"url": ]')
    expect(await run(['feeds', 'add', origin, '--no-check'])).toMatchObject({ code: 2 })
    expect(readFileSync(file, 'utf8')).toBe('[{"url": ]')
  })

  it('imports OPML and exports it again', async () => {
    const opml = `<opml><body><outline text="Tech"><outline text="A &amp; B" xmlUrl="${origin}/a"/></outline>
      <outline xmlUrl="ftp://x.test/"/></body></opml>`
    writeFileSync(join(root, 'in.opml'), opml)
    const first = await run(['feeds', 'import', 'in.opml'])
    expect(first).toMatchObject({ code: 0, out: 'added 1 feed\n' })
    expect(first.err).toContain('left out: ftp://x.test/')
    expect(await runJson('feeds', 'import', 'in.opml')).toMatchObject({ added: 0, known: 1 })
    expect(feedsJson()).toEqual([{ url: `${origin}/a`, title: 'A & B', categories: ['Tech'] }])
    writeFileSync(join(root, 'out.opml'), (await run(['feeds', 'export'])).out)
    await run(['feeds', 'remove', `${origin}/a`])
    await run(['feeds', 'import', 'out.opml'])
    expect(feedsJson()).toEqual([{ url: `${origin}/a`, title: 'A & B', categories: ['Tech'] }])
    writeFileSync(join(root, 'empty.opml'), '<opml/>')
    expect(await run(['feeds', 'import', 'empty.opml'])).toMatchObject({ code: 2 })
  })

  it('shows the health of each feed, and tries one again', async () => {
    await run(['feeds', 'add', `${origin}/feed`])
    await run(['feeds', 'add', `${origin}/broken`, '--no-check'])
    // One feed was polled and one failed.
    expect(await run(['trigger', 'F_FEEDS_POLLER', '--quiet'])).toMatchObject({ code: 6 })
    expect(await runJson('feeds')).toMatchObject([
      { url: `${origin}/feed`, health: 'ok', last_success_at: expect.any(String) },
      {
        url: `${origin}/broken`,
        health: 'failing',
        error_class: '5xx',
        error_count: 1,
        last_error: 'status 500',
        next_check_at: expect.any(String),
      },
    ])
    expect((await run(['feeds'])).out).toContain(`error: ${origin}/broken: status 500`)
    expect(await runJson('feeds', '--failing')).toHaveLength(1)
    expect((await run(['feeds', 'retry', `${origin}/broken`])).out).toContain(
      'is checked by the next poll',
    )
    expect(await runJson('feeds', '--failing')).toEqual([])
    expect(await run(['feeds', 'retry'])).toMatchObject({ code: 2 })
    expect((await run(['feeds', 'retry', '--all'])).out).toBe('no feed is skipped\n')
  })

  it('lets the library’s flows process them, and estimates the cost', async () => {
    await run(['feeds', 'add', `${origin}/feed`])
    await run(['trigger', 'F_FEEDS_POLLER', '--quiet'])
    expect(await runJson('trigger', 'F_FEEDS_PROCESSOR', '--quiet')).toMatchObject({
      success: true,
      items: { delivered: 2 },
    })
    const { flows } = await runJson('flows', 'cost')
    expect(flows).toContainEqual(
      expect.objectContaining({
        flow: 'F_FEEDS_PROCESSOR',
        measured: true,
        newPerRun: 2,
        callsPerItem: 1,
        worst: { calls: 576, usd: 0 },
      }),
    )
    expect((await run(['flows', 'cost'])).out).toContain('every 30 minutes instead of 5: 6x fewer')
    expect((await run(['flows', '--names'])).out).toContain('F_FEEDS_POLLER\n')
  })
})

describe('steward feed-proxy', () => {
  it('serves until it is stopped, with a new token if it has none', async () => {
    const stop = new AbortController()
    const io = memoryIo({
      args: ['feed-proxy', '--port', '0', '--allow', '127.0.0.1', '--json'],
      env: { STEWARD_HOME: join(root, 'home') },
      signal: stop.signal,
    })
    const said = Promise.withResolvers<string>()
    const ended = runCli({ ...io, out: { ...io.out, write: (text) => said.resolve(text) } })
    const { address, token } = JSON.parse(await said.promise)
    expect(token).toMatch(/^[0-9a-f]{64}$/)
    const asked = await fetch(`${address}/fetch?url=${encodeURIComponent(`${origin}/feed`)}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(await asked.text()).toContain('<title>News</title>')
    expect((await fetch(`${address}/fetch?url=x`)).status).toBe(401)
    stop.abort()
    expect(await ended).toBe(0)
  })
})
