import { type FeedQueueMessage, type FeedRecord, LIMITS } from '@steward/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSubrequestBudget } from '../action/subrequest-budget.ts'
import { pollFeeds } from './poll-feeds.ts'
import type { PollPorts } from './ports.ts'

const MINUTE = 60_000

/** Simulated feeds with their own clock: `answer` responds without real time passing. */
const createWorld = (answer: (url: string, nowMs: number) => Response | Error) => {
  const records = new Map<string, string>()
  const sent: FeedQueueMessage[] = []
  const batches: number[] = []
  const asked: { url: string; atMs: number }[] = []
  const world: { nowMs: number; limit: number } = {
    nowMs: Date.parse('2026-01-01T00:00:00Z'),
    limit: LIMITS.subrequestsPerRun,
  }
  const ports = (urls: readonly string[], extra: Partial<PollPorts> = {}): PollPorts => {
    const budget = createSubrequestBudget(world.limit)
    return {
      feeds: urls.map((url) => ({ url, intervalMinutes: 5 })),
      store: {
        read: async (url) => {
          budget.spend()
          const text = records.get(url)
          return text === undefined ? undefined : JSON.parse(text)
        },
        write: async (record) => {
          budget.spend()
          records.set(record.url, JSON.stringify(record))
        },
      },
      queue: {
        sendBatch: async (messages) => {
          budget.spend()
          batches.push(messages.length)
          sent.push(...messages.map(({ body }) => body))
        },
      },
      fetch: async (input) => {
        budget.spend()
        const url = String(input)
        asked.push({ url, atMs: world.nowMs })
        const answered = answer(url, world.nowMs)
        if (answered instanceof Error) throw answered
        return answered
      },
      now: () => world.nowMs,
      random: Math.random,
      remaining: () => world.limit - budget.used(),
      secret: () => undefined,
      ...extra,
    }
  }
  const recordOf = (url: string): FeedRecord => JSON.parse(records.get(url) ?? 'null')
  return { world, ports, records, recordOf, sent, batches, asked }
}

const feedOf = (names: readonly string[]): Response =>
  new Response(
    `<rss version="2.0"><channel>${names.map((name) => `<item><guid>${name}</guid><title>${name}</title></item>`).join('')}</channel></rss>`,
  )

const feedUrls = (count: number) =>
  Array.from({ length: count }, (_, index) => `https://host${index % 40}.test/${index}`)

describe('many polls on a virtual clock', () => {
  it('enqueue every item once, through errors and three days', async () => {
    const urls = feedUrls(20)
    const pathOf = (url: string) => Number(new URL(url).pathname.slice(1))
    // Feed n publishes an item every n+10 minutes and keeps 30; every fifth fails half of the time.
    const startMs = Date.parse('2026-01-01T00:00:00Z')
    const published = (url: string, nowMs: number) =>
      Math.floor((nowMs - startMs) / ((pathOf(url) + 10) * MINUTE)) + 1
    let flips = 0
    const { world, ports, sent } = createWorld((url, nowMs) => {
      if (pathOf(url) % 5 === 0 && flips++ % 2 === 0) return new Error('ECONNRESET')
      const last = published(url, nowMs)
      const names = Array.from({ length: Math.min(30, last) }, (_, back) => `i${last - 1 - back}`)
      return feedOf(names)
    })
    for (let poll = 0; poll < (3 * 24 * 60) / 60; poll++) {
      await pollFeeds(ports(urls))
      world.nowMs += 60 * MINUTE
    }
    const keys = sent.map(({ feed_url, item }) => `${feed_url} ${item.id}`)
    expect(new Set(keys).size).toBe(keys.length)
    const lastPollMs = world.nowMs - 60 * MINUTE
    for (const url of urls.filter((each) => pathOf(each) % 5 !== 0)) {
      expect(keys.filter((key) => key.startsWith(`${url} `))).toHaveLength(
        published(url, lastPollMs),
      )
    }
  })

  it('never fetch a feed more often than it wants, nor one whose breaker is open', async () => {
    const { world, ports, asked, recordOf } = createWorld((url) => {
      if (url.endsWith('/broken')) return new Response(null, { status: 500 })
      if (url.endsWith('/busy')) {
        return new Response(null, { status: 429, headers: { 'retry-after': '3600' } })
      }
      return new Response(
        '<rss version="2.0"><channel><ttl>60</ttl><item><guid>a</guid></item></channel></rss>',
      )
    })
    const urls = ['https://a.test/calm', 'https://b.test/busy', 'https://c.test/broken']
    const opened: string[] = []
    for (let poll = 0; poll < 288; poll++) {
      opened.push(...(await pollFeeds(ports(urls, { random: () => 0 }))).opened)
      world.nowMs += 5 * MINUTE
    }
    const countOf = (url: string) => asked.filter((each) => each.url === url).length
    expect(urls.map(countOf)).toEqual([24, 24, LIMITS.feedErrorBreaker])
    expect(opened).toEqual(['https://c.test/broken'])
    expect(recordOf('https://c.test/broken').error_count).toBe(LIMITS.feedErrorBreaker)
  })
})

describe('the invocation’s subrequests', () => {
  it('are never exceeded, and the rest stays due until every feed had its turn', async () => {
    const urls = feedUrls(500)
    const { world, ports, sent } = createWorld((url) => feedOf([url]))
    let polls = 0
    for (let left = urls.length; left > 0; polls++) {
      const summary = await pollFeeds(ports(urls, { random: () => 0 }))
      expect(summary.problems).toEqual([])
      left -= summary.checked
      expect(summary.checked).toBeGreaterThan(0)
      if (left > 0) expect(summary.postponed).toBeGreaterThan(0)
      world.nowMs += 1
    }
    expect(polls).toBeLessThanOrEqual(3)
    expect(new Set(sent.map(({ feed_url }) => feed_url)).size).toBe(500)
    expect(sent).toHaveLength(500)
  })

  it('suffice for any budget, feed sizes and redirects', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 60 }),
        fc.array(fc.integer({ min: 1, max: 600 }), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 0, max: LIMITS.fetchRedirects }),
        async (limit, sizes, hops) => {
          const { world, ports, sent } = createWorld((url) => {
            const { pathname, searchParams, origin } = new URL(url)
            const hop = Number(searchParams.get('hop') ?? 0)
            if (hop < hops) {
              const location = `${origin}${pathname}?hop=${hop + 1}`
              return new Response(null, { status: 302, headers: { location } })
            }
            const size = sizes[Number(pathname.slice(1))] ?? 0
            return feedOf(Array.from({ length: size }, (_, index) => `i${index}`))
          })
          const urls = sizes.map((_, index) => `https://host${index}.test/${index}`)
          world.limit = limit
          for (let poll = 0; poll < 3; poll++) {
            const summary = await pollFeeds(ports(urls))
            expect(summary.problems).toEqual([])
          }
          world.limit = LIMITS.subrequestsPerRun
          await pollFeeds(ports(urls))
          const keys = sent.map(({ feed_url, item }) => `${feed_url} ${item.id}`)
          expect(new Set(keys).size).toBe(keys.length)
          expect(keys).toHaveLength(sizes.reduce((sum, size) => sum + size, 0))
        },
      ),
      { numRuns: 25 },
    )
  })
})

describe('a crash', () => {
  it('between enqueueing and recording repeats items and loses none', async () => {
    const { world, ports, sent } = createWorld(() => feedOf(['a', 'b']))
    const url = 'https://a.test/feed'
    const dying = ports([url])
    const summary = await pollFeeds({
      ...dying,
      store: { ...dying.store, write: () => Promise.reject(new Error('gone')) },
    })
    expect(summary.problems).toEqual([{ url, message: 'gone' }])
    await pollFeeds(ports([url]))
    world.nowMs += 60 * MINUTE
    await pollFeeds(ports([url]))
    expect(sent.map(({ item }) => item.id)).toEqual(['a', 'b', 'a', 'b'])
  })

  it('of the queue half-way keeps queued items and offers the rest again', async () => {
    const names = Array.from({ length: 250 }, (_, index) => `i${index}`)
    const { ports, sent, recordOf } = createWorld(() => feedOf(names))
    const url = 'https://a.test/feed'
    const whole = ports([url])
    let sends = 0
    const summary = await pollFeeds({
      ...whole,
      queue: {
        sendBatch: (messages) =>
          ++sends === 2 ? Promise.reject(new Error('full')) : whole.queue.sendBatch(messages),
      },
    })
    expect(summary).toMatchObject({ items: { enqueued: 100 } })
    expect(summary.problems[0]?.message).toContain('full')
    expect(recordOf(url)).toMatchObject({ etag: null, next_check_at: null })
    await pollFeeds(ports([url]))
    expect(sent.map(({ item }) => item.id)).toEqual(names)
  })

  it('stops immediately when aborted', async () => {
    const stop = new AbortController()
    const { ports } = createWorld(() => {
      stop.abort(new Error('stopped'))
      return new Error('aborted')
    })
    const polled = pollFeeds(ports(feedUrls(5), { signal: stop.signal }))
    await expect(polled).rejects.toThrow('stopped')
  })
})
