import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FeedQueueMessage } from '@steward/contract'
import { CLAIM_MS } from '@steward/engine'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type FeedDatabase, openFeedDatabase } from './feed-database.ts'

let folder = ''
let feeds: FeedDatabase
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-feeds-'))
  feeds = openFeedDatabase(join(folder, 'feeds.sqlite'))
})
afterEach(async () => {
  await feeds.close()
  rmSync(folder, { recursive: true })
})

const NOON = Date.parse('2026-05-01T12:00:00Z')
const DAY_MS = 86_400_000
const message: FeedQueueMessage = {
  feed_url: 'https://example.test/feed',
  item: {
    id: 'a',
    title: 'A',
    link: null,
    published: null,
    updated: null,
    author: null,
    content: null,
    summary: null,
    categories: [],
    enclosures: [],
  },
  enqueued_at: '2026-01-01T00:00:00.000Z',
}
const claimAt = (nowMs: number, startedAtMs?: number) =>
  feeds.items.claim(message, {
    nowMs,
    untilMs: nowMs + CLAIM_MS,
    ...(startedAtMs === undefined ? {} : { endedBeforeMs: startedAtMs + CLAIM_MS }),
  })

it('holds an item for its consumer, and frees it when the claim runs out', async () => {
  expect(await claimAt(NOON)).toMatchObject({ kind: 'claimed', attempts: 1 })
  expect(await claimAt(NOON + 1000)).toEqual({ kind: 'held', untilMs: NOON + CLAIM_MS })
  expect(await claimAt(NOON + CLAIM_MS)).toMatchObject({ kind: 'claimed', attempts: 2 })
})

it('frees an item at once that a process before the only living one had claimed', async () => {
  await claimAt(NOON)
  expect(await claimAt(NOON + 2000, NOON)).toMatchObject({ kind: 'held' })
  expect(await claimAt(NOON + 2000, NOON + 1000)).toMatchObject({ kind: 'claimed', attempts: 2 })
})

it('does not hold an item for days when the clock was set back', async () => {
  await claimAt(NOON)
  // The clocks of two consumers are never quite the same.
  expect(await claimAt(NOON - 1000)).toMatchObject({ kind: 'held' })
  expect(await claimAt(NOON - DAY_MS)).toMatchObject({ kind: 'claimed', attempts: 2 })
})
