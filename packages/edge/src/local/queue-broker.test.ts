import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createVirtualClock } from './clock.ts'
import { createQueueBroker, type Delivered, type QueueConsumer } from './queue-broker.ts'
import type { LeasedMessage } from './queue-store.ts'
import type { QueueOutcome } from './settle-batch.ts'
import { createMemoryStore } from './testing/memory-store.ts'

const CONSUMER: QueueConsumer = {
  queue: 'items',
  worker: 'exec-f-x',
  maxBatchSize: 10,
  maxBatchTimeoutMs: 5000,
  maxRetries: 2,
  deadLetterQueue: 'items-dead',
  retryDelaySeconds: 0,
}

const OK: QueueOutcome = {
  outcome: 'ok',
  ackAll: false,
  retryBatch: { retry: false },
  explicitAcks: [],
  retryMessages: [],
}

const open = (
  respond: (messages: readonly LeasedMessage[], queue: string) => Promise<QueueOutcome>,
) => {
  const clock = createVirtualClock(0)
  const store = createMemoryStore(clock.now)
  const delivered: Delivered[] = []
  const warnings: string[] = []
  const batches: { atMs: number; bodies: unknown[] }[] = []
  const broker = createQueueBroker({
    store,
    clock,
    deliver: (_, queue, messages) => {
      batches.push({ atMs: clock.now(), bodies: messages.map(({ body }) => body) })
      return respond(messages, queue)
    },
    onDelivered: (each) => delivered.push(each),
    warn: (message) => warnings.push(message),
  })
  broker.set([CONSUMER])
  const send = (count: number, delaySeconds?: number, more = {}) =>
    broker.send('items', {
      messages: Array.from({ length: count }, (_, n) => ({ json: JSON.stringify({ n, ...more }) })),
      delaySeconds,
    })
  return { clock, store, broker, delivered, warnings, batches, send }
}

test('a full batch is delivered at once, the rest when its first message waited long enough', async () => {
  const { clock, broker, batches, send } = open(async () => OK)
  await send(12)
  await broker.idle()
  expect(batches.map(({ bodies }) => bodies.length)).toEqual([10])
  await clock.advance(4999, broker.idle)
  expect(batches).toHaveLength(1)
  await clock.advance(1, broker.idle)
  expect(batches[1]).toMatchObject({ atMs: 5000, bodies: [{ n: 10 }, { n: 11 }] })
})

test('a delayed message is delivered after its delay and the batch timeout', async () => {
  const { clock, broker, batches, send } = open(async () => OK)
  await send(1, 60)
  await clock.advance(120_000, broker.idle)
  expect(batches).toMatchObject([{ atMs: 65_000 }])
})

test('a message that always fails is delivered retries plus one times, then dead-lettered', async () => {
  const { clock, broker, store, delivered, batches, send } = open(async (messages) => ({
    ...OK,
    retryMessages: messages.map(({ id }) => ({ msgId: id, delaySeconds: 30 })),
  }))
  await send(1)
  await clock.advance(600_000, broker.idle)
  expect(batches.map(({ atMs }) => atMs)).toEqual([5000, 40_000, 75_000])
  expect(delivered.at(-1)).toMatchObject({ deadLettered: 1 })
  expect(store.kept).toMatchObject([{ queue: 'items-dead', attempts: 0 }])
})

test('dead letters are delivered to a consumer of their queue', async () => {
  const { clock, broker, batches, send } = open(async (_, queue) =>
    queue === 'items' ? { ...OK, outcome: 'exception' } : OK,
  )
  broker.set([CONSUMER, { ...CONSUMER, queue: 'items-dead', worker: 'exec-f-y' }])
  await send(1)
  await clock.advance(60_000, broker.idle)
  expect(batches).toHaveLength(4)
})

test('an unreachable worker is retried later, with a warning', async () => {
  let isDown = true
  const { clock, broker, warnings, delivered, send } = open(async () => {
    if (isDown) throw new Error('connection refused')
    return OK
  })
  await send(10)
  await broker.idle()
  expect(warnings).toEqual(['queue items: exec-f-x could not be reached: connection refused'])
  isDown = false
  await clock.advance(5000, broker.idle)
  expect(delivered.at(-1)).toMatchObject({ acked: 10 })
})

test('a second consumer of a queue gets nothing, with a warning', async () => {
  const { broker, warnings } = open(async () => OK)
  broker.set([CONSUMER, { ...CONSUMER, worker: 'exec-f-z' }])
  expect(warnings).toEqual([expect.stringContaining('exec-f-z receives nothing')])
})

test('for any handlers, each message is delivered until acknowledged or dead-lettered', async () => {
  const plan = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(plan, async (failures) => {
      const deliveries = new Map<number, number>()
      const { clock, broker, store, send } = open(async (messages) => {
        const settled: QueueOutcome = { ...OK, explicitAcks: [], retryMessages: [] }
        for (const { id, body, attempts } of messages) {
          const n = Number(Object(body).n)
          deliveries.set(n, attempts)
          if (attempts <= (failures[n] ?? 0)) settled.retryMessages.push({ msgId: id })
          else settled.explicitAcks.push(id)
        }
        return settled
      })
      await send(failures.length)
      await clock.advance(3_600_000, broker.idle)
      expect([...deliveries].toSorted(([a], [b]) => a - b)).toEqual(
        failures.map((count, n) => [n, Math.min(count, CONSUMER.maxRetries) + 1]),
      )
      expect(store.kept.every(({ queue }) => queue === 'items-dead')).toBe(true)
      expect(store.kept).toHaveLength(failures.filter((count) => count > 2).length)
    }),
    { numRuns: 40 },
  )
})
