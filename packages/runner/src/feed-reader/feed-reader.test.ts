import { unwrap } from '@steward/contract'
import { type FeedBody, parseFeedBody } from '@steward/engine'
import { expect, it } from 'vitest'
import { createFeedReader } from './feed-reader.ts'

const ITEM = '<item><guid>1</guid><title>Tea &amp; cake</title></item>'
const feed = (body: string, form: FeedBody['form'] = 'feed'): FeedBody => ({
  body: new TextEncoder().encode(body),
  form,
  hints: { url: 'https://example.org/feed' },
})
const small = feed(`<rss><channel>${ITEM}`)
const large = feed(`<rss><channel>${ITEM}<!--${'x'.repeat(100_000)}-->`)
/** The limit elapses as soon as a thread has the feed. */
const impatient = createFeedReader({
  startTimer: (_, elapse) => {
    const timer = setImmediate(elapse)
    return () => clearImmediate(timer)
  },
})
const patient = createFeedReader({ limitMs: 60_000 })

it('gives the same items whether it parses directly or in a thread', async () => {
  for (const each of [small, large]) {
    expect(unwrap(await patient(each))).toEqual(unwrap(parseFeedBody(each)))
  }
  const entry = feed(`# [a](https://example.org/a)\n${'x\n'.repeat(50_000)}`, 'reader-markdown')
  expect(unwrap(await patient(entry))).toEqual(unwrap(parseFeedBody(entry)))
})

it('parses small feeds directly', async () => {
  expect(unwrap(await impatient(small)).items).toHaveLength(1)
})

it('explains why a large body cannot be read as a feed', async () => {
  const page = feed(`<html><body>${'<div>'.repeat(300_000)}`)
  const { error } = Object(await patient(page))
  const expected = Object(parseFeedBody(page)).error
  expect([error.code, error.message, error.details]).toEqual([
    'feed_unreadable',
    expected.message,
    expected.details,
  ])
})

it('refuses a feed that takes longer than its limit, and works on meanwhile', async () => {
  const slow = feed(`<rss><channel>${'<entry><content type="xhtml">'.repeat(200_000)}`)
  expect(await impatient(slow)).toMatchObject({
    ok: false,
    error: {
      code: 'rejected_content',
      message: 'https://example.org/feed: reading it takes longer than 30000 ms',
    },
  })
})

it('passes an abort on', async () => {
  const stop = new AbortController()
  const reading = patient(large, stop.signal)
  stop.abort(new Error('enough'))
  await expect(reading).rejects.toThrow('enough')
})
