import { readdirSync, readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type LoopbackServer, serveLoopback } from '@steward/platform/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { copyBuiltWorkers } from './built-workers.ts'
import { type Cli, createCli } from './cli-process.ts'
import { type EdgeProcess, findEdgePort, startEdge } from './edge-up-process.ts'
import { CLONE_LAUNCHER } from './launcher.ts'

/** The whole day takes minutes, mostly in the local D1; `STEWARD_TEST_DAY=whole` runs it. */
const IS_WHOLE = process.env.STEWARD_TEST_DAY === 'whole'
const FEEDS = IS_WHOLE ? 200 : 40
const LARGE = 7
const LARGE_ITEMS = IS_WHOLE ? 5000 : 300
const KILLS = IS_WHOLE ? 10 : 3
const DAY_MINUTES = 24 * 60
const START = Date.parse('2026-03-02T00:01:00Z')

let cli: Cli
let servers: LoopbackServer[]
let edge: EdgeProcess | undefined
let hits: Map<number, number>
let healed: boolean

type Kind = 'plain' | 'refused' | 'unchanged' | 'broken' | 'slow' | 'moved' | 'page' | 'failing'

const KINDS: Kind[] = [
  'plain',
  'refused',
  'unchanged',
  'broken',
  'slow',
  'moved',
  'page',
  'plain',
  'plain',
  'plain',
]

/** One feed fails for most of the day, often enough to open its circuit breaker. */
const FAILING = FEEDS - 1
const kindOf = (feed: number): Kind => {
  if (feed === FAILING) return 'failing'
  return feed === LARGE ? 'plain' : (KINDS[feed % KINDS.length] ?? 'plain')
}

const namesOf = (feed: number): string[] => {
  if (kindOf(feed) === 'page') return []
  const count = feed === LARGE ? LARGE_ITEMS : 3
  return Array.from({ length: count }, (_, index) => `f${feed}-${index}`)
}

const rss = (names: readonly string[]): string =>
  `<rss version="2.0"><channel><title>Feed</title>${names
    .map(
      (name) =>
        `<item><guid>${name}</guid><title>Title ${name}</title><link>https://example.test/${name}</link>` +
        `<description>${`What ${name} says of the matter is quite long. `.repeat(8)}</description></item>`,
    )
    .join('')}</channel></rss>`

const serve = async (listener: RequestListener): Promise<string> => {
  const server = await serveLoopback(listener)
  servers.push(server)
  return server.host
}

const answerFeed: RequestListener = (request, response) => {
  const path = request.url ?? ''
  const feed = Number(path.split('/').at(-1))
  hits.set(feed, (hits.get(feed) ?? 0) + 1)
  const body = rss(namesOf(feed))
  switch (kindOf(feed)) {
    case 'refused':
      return response.writeHead(403).end()
    case 'unchanged': {
      const known = request.headers['if-none-match'] === `"${feed}"`
      return response.writeHead(known ? 304 : 200, { etag: `"${feed}"` }).end(known ? '' : body)
    }
    case 'broken':
      return response.end(body.replaceAll(' says ', ' & <says> ').replace('</channel></rss>', ''))
    case 'slow':
      return setTimeout(() => response.end(body), 20)
    case 'moved':
      if (path.startsWith('/old/')) return response.writeHead(301, { location: `/${feed}` }).end()
      return response.end(body)
    case 'page':
      return response.end('<!doctype html><html><body>Not a feed.</body></html>')
    case 'failing':
      return healed ? response.end(body) : response.writeHead(500).end()
    default:
      return response.end(body)
  }
}

const answerReader: RequestListener = (request, response) => {
  const names = namesOf(Number((request.url ?? '').split('/').at(-1)))
  const parts = names.map(
    (name) =>
      `## [Title ${name}](https://example.test/${name})\n${`What ${name} says. `.repeat(20)}\n`,
  )
  response.end(`Markdown Content:\n${parts.join('\n')}`)
}

beforeEach(async () => {
  cli = createCli(CLONE_LAUNCHER)
  await copyBuiltWorkers(cli)
  servers = []
  hits = new Map()
  healed = false
  const reader = await serve(answerReader)
  const hosts = await Promise.all(Array.from({ length: 8 }, () => serve(answerFeed)))
  cli.write(
    'settings.json',
    JSON.stringify({ execution: { fetch: { allowPrivateHosts: [reader, ...hosts] } } }),
  )
  const feeds = Array.from({ length: FEEDS }, (_, feed) => ({
    url: `http://${hosts[feed % hosts.length]}/${kindOf(feed) === 'moved' ? 'old/' : ''}${feed}`,
    intervalMinutes: feed === FAILING ? 5 : 240,
  }))
  cli.write('USER/FLOWS/feeds.json', JSON.stringify(feeds))
  const poller = {
    id: 'flow-feeds-poller',
    name: 'F_FEEDS_POLLER',
    source: { type: 'feeds', reader_url: `http://${reader}` },
    destination: { type: 'queue', queue: 'feed-items' },
    schedule: { intervalMinutes: 5, enabled: true },
  }
  const processor = {
    id: 'flow-feeds-processor',
    name: 'F_FEEDS_PROCESSOR',
    source: { type: 'queue', queue: 'feed-items', maxBatchSize: 100, maxRetries: 100 },
    pipeline: 'P_SHORTEN_ITEM',
    destination: { type: 'database', table: 'feed_items' },
    schedule: { intervalMinutes: 5, enabled: true },
    concurrency: 16,
  }
  cli.write('USER/FLOWS/flow-index.json', JSON.stringify({ flows: [poller, processor] }))
  for (const name of ['A_SHORTEN_TEXT', 'A_COUNT_LETTERS']) {
    const manifest = { name, description: name, input: {}, output: {} }
    cli.write(`USER/ACTIONS/${name}/action.json`, JSON.stringify(manifest))
  }
  cli.write(
    'USER/ACTIONS/A_SHORTEN_TEXT/action.ts',
    "export const execute = (input: { content?: unknown }) => ({ summary: String(input.content).slice(0, 80), one_sentence_summary: 'Short.', quality_score: 50, rating: 'B', labels: [] })\n",
  )
  cli.write(
    'USER/ACTIONS/A_COUNT_LETTERS/action.ts',
    'export const execute = (input: { content?: unknown }) => ({ letters: String(input.content).length })\n',
  )
  cli.write(
    'USER/PIPELINES/P_SHORTEN_ITEM.yaml',
    'name: P_SHORTEN_ITEM\ndescription: Shortens.\nactions: [A_SHORTEN_TEXT, A_COUNT_LETTERS]\n',
  )
})

afterEach(async () => {
  await edge?.stop()
  await Promise.all(servers.map(({ close }) => close()))
  cli.remove()
})

const readItems = (): Array<{ title: string; status: string }> => {
  const folder = join(cli.home, 'state/edge')
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.sqlite')) continue
    const database = new DatabaseSync(join(folder, path), { readOnly: true })
    try {
      const has = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'feed_items'").get()
      if (has === undefined) continue
      const rows = database.prepare('SELECT title, status FROM feed_items').all()
      return rows.map(({ title, status }) => ({ title: String(title), status: String(status) }))
    } finally {
      database.close()
    }
  }
  return []
}

/** The recorded failures of each feed, as the poller stores them in KV. */
const readErrorCounts = (): number[] => {
  const folder = join(cli.home, 'state/edge')
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const blobs = new Map(paths.map((path) => [basename(path), join(folder, path)]))
  return paths.flatMap((path) => {
    if (!path.endsWith('.sqlite')) return []
    const database = new DatabaseSync(join(folder, path), { readOnly: true })
    try {
      const has = database.prepare("SELECT 1 FROM sqlite_master WHERE name = '_mf_entries'").get()
      if (has === undefined) return []
      return database
        .prepare("SELECT blob_id FROM _mf_entries WHERE key LIKE 'feed:%'")
        .all()
        .map(({ blob_id }) => {
          const record = JSON.parse(readFileSync(blobs.get(String(blob_id)) ?? '', 'utf8'))
          return Number(record.error_count)
        })
    } finally {
      database.close()
    }
  })
}

it(`a virtual day of ${FEEDS} feeds with ${KILLS} kills: every item exactly once, the breaker opens at fifty`, async () => {
  const port = String(await findEdgePort())
  const start = (minute: number) =>
    startEdge(cli, {
      args: ['--port', port, '--at', new Date(START + minute * 60_000).toISOString()],
    })
  const killAt = new Set(Array.from({ length: KILLS }, (_, kill) => 5 + kill * 25))
  edge = await start(0)
  let failingHits = 0
  for (let minute = 5; minute <= DAY_MINUTES; minute += 5) {
    if (killAt.has(minute)) {
      const advancing = edge.ask('advance 5m').catch(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 1500))
      await edge.kill()
      await advancing
      edge = await start(minute)
      continue
    }
    if (minute === DAY_MINUTES - 60) {
      failingHits = hits.get(FAILING) ?? 0
      healed = true
    }
    await edge.ask('advance 5m')
  }

  const wanted = Array.from({ length: FEEDS }, (_, feed) => feed)
    .filter((feed) => feed !== FAILING)
    .flatMap(namesOf)
  await expect
    .poll(() => readItems().length, { timeout: 300_000, interval: 500 })
    .toBe(wanted.length)
  const rows = readItems()
  expect(rows.map(({ title }) => title).toSorted()).toEqual(
    wanted.map((name) => `Title ${name}`).toSorted(),
  )
  expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['processed']))
  // Polled at each tick until fifty failures were recorded, then not polled although it had
  // recovered. Only a kill between a failure and its record allows one more request.
  expect(Math.max(...readErrorCounts())).toBe(50)
  expect(failingHits).toBeGreaterThanOrEqual(50)
  expect(failingHits).toBeLessThanOrEqual(50 + KILLS)
  expect(hits.get(FAILING)).toBe(failingHits)
}, 1_200_000)
