import { type FeedQueueMessage, type JsonObject, StewardError } from '@steward/contract'
import { expect, it } from 'vitest'
import type { FeedItemClaim, FeedItemResult } from './ports.ts'
import { processFeedBatch } from './process-feed-batch.ts'
import { processFeedMessage } from './process-feed-message.ts'

const message = (id = 'a'): FeedQueueMessage => ({
  feed_url: 'https://example.test/feed',
  item: {
    id,
    title: 'A',
    link: 'https://example.test/a',
    published: null,
    updated: null,
    author: null,
    content: 'text',
    summary: null,
    categories: [],
    enclosures: [],
  },
  enqueued_at: '2026-01-01T00:00:00.000Z',
})

const NOON = Date.parse('2026-01-01T12:00:00Z')

const portsWith = (
  pipeline: (payload: JsonObject) => Promise<JsonObject>,
  claim: FeedItemClaim = { kind: 'claimed', attempts: 1, failures: 0 },
) => {
  const settled: FeedItemResult[] = []
  return {
    settled,
    items: {
      claim: async () => claim,
      settle: async (_key: unknown, _attempts: number, result: FeedItemResult) => {
        settled.push(result)
      },
    },
    pipeline,
    now: () => NOON,
  }
}
const never = () => Promise.reject(new Error('must not run'))
const failWith = (error: Error) => () => Promise.reject(error)

it('passes a feed item to the pipeline, and its output to the table', async () => {
  const ports = portsWith(async (payload) => ({ ...payload, rating: 'A' }))
  expect(await processFeedMessage(message(), 1, ports)).toEqual({
    settle: 'ack',
    result: 'processed',
  })
  expect(ports.settled).toEqual([
    {
      status: 'processed',
      output: expect.objectContaining({ title: 'A', content: 'A\n\ntext', rating: 'A' }),
    },
  ])
})

it('only acknowledges finished items, and waits for items that another consumer holds', async () => {
  expect(await processFeedMessage(message(), 1, portsWith(never, { kind: 'settled' }))).toEqual({
    settle: 'ack',
    result: 'duplicate',
  })
  const held = portsWith(never, { kind: 'held', untilMs: NOON + 90_500 })
  expect(await processFeedMessage(message(), 1, held)).toMatchObject({
    settle: 'retry',
    result: 'held',
    delaySeconds: 91,
  })
})

it('rejects permanently what cannot be processed', async () => {
  const ports = portsWith(
    failWith(new StewardError('rejected_content', { subject: 'the item', reason: 'too short' })),
  )
  expect(await processFeedMessage(message(), 1, ports)).toMatchObject({
    settle: 'ack',
    result: 'rejected',
  })
  expect(ports.settled).toMatchObject([{ status: 'rejected' }])
})

it('retries failures with growing delays or as asked, and on the next day without budget', async () => {
  const delayOf = async (error: Error, attempts: number) => {
    const outcome = await processFeedMessage(message(), attempts, portsWith(failWith(error)))
    return outcome.settle === 'retry' ? outcome.delaySeconds : undefined
  }
  const overBudget = new StewardError('budget_exceeded', {
    scope: 'daily',
    limit: 1,
    spent: 1,
    next: 0.1,
  })
  expect(await delayOf(new Error('down'), 1)).toBe(10)
  expect(await delayOf(new Error('down'), 4)).toBe(80)
  expect(await delayOf(overBudget, 1)).toBe(12 * 3600)
  const asked = (retryAfterSeconds: number) =>
    new StewardError('upstream_failed', { service: 's', reason: 'busy', retryAfterSeconds })
  expect(await delayOf(asked(600), 1)).toBe(600)
  expect(await delayOf(asked(1), 4)).toBe(80)
  expect(await delayOf(asked(999_999), 1)).toBe(12 * 3600)
})

it('does not count an abort as a failure', async () => {
  const ports = portsWith(failWith(new Error('stopped')))
  await processFeedMessage(message(), 1, { ...ports, signal: AbortSignal.abort() })
  await processFeedMessage(message(), 1, ports)
  expect(ports.settled).toEqual([
    { status: 'ingested', error: null },
    { status: 'ingested', error: expect.stringContaining('stopped') },
  ])
})

it('settles each message of a batch separately, those of one item one after the other', async () => {
  const said: string[] = []
  const open = new Set<string>()
  const ports = portsWith(async ({ title }) => {
    expect(open.has(String(title))).toBe(false)
    open.add(String(title))
    await Promise.resolve()
    open.delete(String(title))
    if (title === 'bad') throw new Error('no')
    return {}
  })
  const delivered = (id: string, title: string, body: unknown = message(title)) => ({
    id,
    body:
      typeof body === 'object'
        ? { ...message(title), item: { ...message(title).item, title } }
        : body,
    attempts: 1,
    ack: () => said.push(`${id} ack`),
    retry: ({ delaySeconds }: { delaySeconds: number }) => said.push(`${id} retry ${delaySeconds}`),
  })
  const outcomes = await processFeedBatch(
    [
      delivered('1', 'good'),
      delivered('2', 'bad'),
      delivered('3', 'good'),
      delivered('4', 'x', 'nonsense'),
    ],
    ports,
  )
  expect(said.toSorted()).toEqual(['1 ack', '2 retry 10', '3 ack', '4 retry 0'])
  expect(outcomes).toHaveLength(4)
})
