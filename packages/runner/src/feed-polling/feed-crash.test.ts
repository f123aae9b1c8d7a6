import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { bundleChild } from '../../../../scripts/testing/bundle-child.ts'
import type { TemporaryHome } from '../../../platform/src/testing/temporary-home.ts'
import { openFeedDatabase } from '../feed-store/feed-database.ts'
import { createFeedHome } from './testing/feed-home.ts'
import { type FeedServer, rss, serveFeeds } from './testing/feed-server.ts'

const FEEDS = 200
const KILLS = 6
/** By then leases and claims of a dead process have expired, and every feed is due. */
const STEP_MS = 30 * 60_000

let home: TemporaryHome
let servers: FeedServer[]
let program: string

/**
 * The content of feed n: by its number it is plain, conditional, slow, moved, blocked, large or
 * broken.
 */
const namesOf = (feed: number): string[] => {
  if (feed % 20 === 19) return []
  return Array.from({ length: feed === 7 ? 500 : 3 }, (_, index) => `f${feed}-${index}`)
}

const markdownOf = (names: readonly string[]): string =>
  `Markdown Content:\n${names.map((name) => `## [Title ${name}](https://example.test/${name})\ntext\n`).join('')}`

beforeEach(async () => {
  const reader = await serveFeeds(({ path }, response) =>
    response.end(markdownOf(namesOf(Number(path.split('/').at(-1))))),
  )
  home = createFeedHome({ reader_url: reader.origin })
  const child = join(import.meta.dirname, 'testing/feed-child.ts')
  program = await bundleChild(child, mkdtempSync(join(home.path, 'program-')))
  const feeds = await Promise.all(
    Array.from({ length: 8 }, () =>
      serveFeeds(({ path, headers }, response) => {
        const feed = Number(path.split('/').at(-1))
        const body = rss(namesOf(feed))
        if (path.startsWith('/old')) response.writeHead(301, { location: `/new/${feed}` }).end()
        else if (feed % 20 === 19) response.writeHead(feed % 40 === 19 ? 500 : 200).end('<html>')
        else if (feed % 10 === 3) response.writeHead(403).end()
        else if (feed % 10 === 4) {
          const isKnown = headers['if-none-match'] === `"${feed}"`
          response.writeHead(isKnown ? 304 : 200, { etag: `"${feed}"` })
          response.end(isKnown ? undefined : body)
        } else if (feed % 10 === 5) setTimeout(() => response.end(body), 30)
        else response.end(body)
      }),
    ),
  )
  servers = [reader, ...feeds]
  const urls = Array.from({ length: FEEDS }, (_, feed) => {
    const origin = feeds[feed % feeds.length]?.origin
    return { url: `${origin}/${feed % 10 === 6 ? 'old/' : ''}${feed}`, intervalMinutes: 5 }
  })
  home.write('USER/FLOWS/feeds.json', JSON.stringify(urls))
})

afterEach(() => {
  for (const server of servers) server.close()
  home.remove()
})

const start = (round: number) =>
  spawn(process.execPath, [program, home.path, String(round * STEP_MS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })

it('kill -9 at any moment: every item is in the table once and processed', async () => {
  let round = 0
  for (; round < KILLS; round++) {
    const child = start(round)
    const ended = once(child, 'exit')
    const timer = setTimeout(() => child.kill('SIGKILL'), 100 + Math.random() * 2000)
    await ended
    clearTimeout(timer)
  }
  let last = ''
  do {
    const child = start(round++)
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
    })
    const [code] = await once(child, 'close')
    expect(code).toBe(0)
    const [polled, processed] = JSON.parse(text)
    last = `${polled.items.delivered} enqueued, ${processed.reason}`
  } while (last !== '0 enqueued, no message of the queue feed-items is ready' && round < 30)
  expect(last).toBe('0 enqueued, no message of the queue feed-items is ready')

  const database = openFeedDatabase(join(home.path, 'state/feeds.sqlite'))
  const rows = database.listItems(10_000)
  await database.close()
  const wanted = Array.from({ length: FEEDS }, (_, feed) => namesOf(feed)).flat()
  expect(rows.map(({ title }) => title).toSorted()).toEqual(
    wanted.map((name) => `Title ${name}`).toSorted(),
  )
  expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['processed']))
}, 300_000)
