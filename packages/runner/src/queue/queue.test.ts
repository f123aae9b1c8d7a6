import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LIMITS } from '@steward/contract'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../../platform/src/database/database.ts'
import { createQueue, type Queue, type QueueOptions } from './queue.ts'
import { createQueueInventory } from './queue-inventory.ts'
import { QUEUE_MIGRATIONS } from './schema.ts'

let directory = ''
let database: Database
let nowMs = 0

const open = () => openDatabase(join(directory, 'queues.sqlite'), { migrations: QUEUE_MIGRATIONS })
const create = (options: Partial<QueueOptions> = {}): Queue =>
  createQueue(database, 'items', { now: () => nowMs, visibilityMs: 1000, ...options })
const send = (queue: Queue, ...bodies: unknown[]) =>
  queue.sendBatch(bodies.map((body) => ({ body })))
const receiveOne = async (queue: Queue) => {
  const [message, ...more] = await queue.receive()
  expect(more).toEqual([])
  if (message === undefined) throw new Error('the queue was empty')
  return message
}

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'steward-queue-'))
  nowMs = 1000
  database = open()
})

afterEach(async () => {
  await database.close()
  rmSync(directory, { recursive: true, force: true })
})

describe('delivery', () => {
  test('in order, with the sent body, until acknowledged', async () => {
    const queue = create()
    await send(queue, { n: 1 }, 'two', null)
    const messages = await queue.receive()
    expect(messages.map(({ body, attempts }) => [body, attempts])).toEqual([
      [{ n: 1 }, 1],
      ['two', 1],
      [null, 1],
    ])
    expect(await queue.receive()).toEqual([])
    expect(await Promise.all(messages.map((message) => message.ack()))).toEqual([true, true, true])
    nowMs += 1e9
    expect(queue.inspect()).toEqual({ ready: 0, delayed: 0, leased: 0, dead: 0 })
  })

  test('survives a restart', async () => {
    await send(create(), 'kept')
    await database.close()
    database = open()
    expect((await receiveOne(create())).body).toBe('kept')
  })

  test('no more than requested', async () => {
    const queue = create()
    await send(queue, 1, 2, 3)
    expect(await queue.receive(2)).toHaveLength(2)
    expect(queue.inspect()).toMatchObject({ ready: 1, leased: 2 })
  })

  test('queues are independent', async () => {
    await send(create(), 'mine')
    const other = createQueue(database, 'others', { now: () => nowMs })
    expect(await other.receive()).toEqual([])
  })

  test('after the delay of the message, otherwise of the batch', async () => {
    const queue = create()
    await queue.sendBatch([{ body: 'soon', delaySeconds: 1 }, { body: 'late' }], {
      delaySeconds: 5,
    })
    expect(queue.inspect()).toMatchObject({ ready: 0, delayed: 2 })
    nowMs += 1000
    expect((await receiveOne(queue)).body).toBe('soon')
    nowMs += 3999
    expect((await queue.receive()).map(({ body }) => body)).toEqual(['soon'])
    nowMs += 1
    expect((await receiveOne(queue)).body).toBe('late')
  })
})

describe('failure', () => {
  test('with maxRetries 2 is delivered three times and then dead-lettered', async () => {
    const queue = create({ maxRetries: 2, deadLetterQueue: 'dead' })
    await send(queue, 'poison')
    const outcomes: unknown[] = []
    for (const attempts of [1, 2, 3]) {
      const message = await receiveOne(queue)
      expect(message.attempts).toBe(attempts)
      outcomes.push(await message.retry())
    }
    expect(outcomes).toEqual(['requeued', 'requeued', 'dead-lettered'])
    expect(await queue.receive()).toEqual([])
    expect(queue.inspect()).toEqual({ ready: 0, delayed: 0, leased: 0, dead: 1 })
    const dead = createQueue(database, 'dead', { now: () => nowMs })
    expect(await receiveOne(dead)).toMatchObject({ body: 'poison', attempts: 1 })
  })

  test('without a dead letter queue the message is dropped, and the caller is informed', async () => {
    const queue = create({ maxRetries: 0 })
    await send(queue, 'poison')
    expect(await (await receiveOne(queue)).retry()).toBe('dropped')
    expect(queue.inspect()).toMatchObject({ ready: 0, dead: 0 })
  })

  test('a retry may be delayed', async () => {
    const queue = create()
    await send(queue, 'again')
    await (await receiveOne(queue)).retry({ delaySeconds: 10 })
    nowMs += 9999
    expect(await queue.receive()).toEqual([])
    nowMs += 1
    expect((await receiveOne(queue)).attempts).toBe(2)
  })

  test('a vanished receiver loses its lease, and can no longer settle', async () => {
    const queue = create()
    await send(queue, 'left')
    const first = await receiveOne(queue)
    nowMs += 1000
    const second = await receiveOne(queue)
    expect(second.attempts).toBe(2)
    expect(await first.ack()).toBe(false)
    expect(await first.retry()).toBe('not-leased')
    expect(await second.ack()).toBe(true)
  })

  test('a message whose receivers always vanish is dead-lettered as well', async () => {
    const queue = create({ maxRetries: 1, deadLetterQueue: 'dead' })
    await send(queue, 'crasher', 'crasher too')
    for (let delivery = 0; delivery < 2; delivery++) {
      expect(await queue.receive()).toHaveLength(2)
      nowMs += 1000
    }
    expect(await queue.receive()).toEqual([])
    expect(queue.inspect()).toMatchObject({ ready: 0, leased: 0, dead: 2 })
  })

  test('the first of ack and retry counts', async () => {
    const queue = create()
    await send(queue, 'once')
    const message = await receiveOne(queue)
    expect(await Promise.all([message.ack(), message.retry()])).toEqual([true, 'not-leased'])
    expect(queue.inspect()).toMatchObject({ ready: 0 })
  })
})

describe('limits', () => {
  test('an invalid batch is refused as a whole, and the message is named', async () => {
    const queue = create()
    const many = Array.from({ length: LIMITS.queueBatchMessages + 1 }, () => ({ body: 1 }))
    await expect(queue.sendBatch(many)).rejects.toThrow(
      '101 messages in one batch; send at most 100',
    )
    const big = { body: 'x'.repeat(LIMITS.queueMessageBytes) }
    await expect(queue.sendBatch([{ body: 1 }, big])).rejects.toThrow(
      'message 2 for queue items is',
    )
    const half = { body: 'x'.repeat(LIMITS.queueBatchBytes / 3) }
    await expect(queue.sendBatch([half, half, half])).rejects.toThrow(
      'the batch for queue items is',
    )
    await expect(queue.sendBatch([{ body: undefined }])).rejects.toThrow('JSON cannot represent')
    await expect(queue.sendBatch([{ body: 1n }])).rejects.toThrow('its body is not JSON')
    await expect(send(queue, 1).then(() => queue.receive(0))).resolves.toEqual([])
    expect(queue.inspect().ready).toBe(1)
  })

  test('delays and retries outside the platform’s range are refused', async () => {
    const queue = create()
    for (const delaySeconds of [-1, 0.5, 86_401, Number.NaN]) {
      await expect(queue.sendBatch([{ body: 1 }], { delaySeconds })).rejects.toThrow(
        'delaySeconds is',
      )
    }
    expect(() => create({ maxRetries: 101 })).toThrow('maxRetries is 101')
  })
})

describe('a clock that is set back', () => {
  const DAY_MS = 86_400_000

  test('delays no message longer than it was meant to wait', async () => {
    nowMs = 10 * DAY_MS
    const queue = create()
    await send(queue, 'at once')
    await queue.sendBatch([{ body: 'in a minute', delaySeconds: 60 }])
    nowMs -= 3 * DAY_MS
    await send(queue, 'new')
    nowMs += 1
    expect((await queue.receive()).map(({ body }) => body).toSorted()).toEqual(['at once', 'new'])
    nowMs += 60_000
    expect((await queue.receive()).map(({ body }) => body)).toContain('in a minute')
  })

  test('hands out again what a vanished receiver had', async () => {
    nowMs = 10 * DAY_MS
    const queue = create()
    await send(queue, 'lost')
    await receiveOne(queue)
    nowMs -= 3 * DAY_MS
    expect(await queue.receive()).toEqual([])
    nowMs += 1000
    expect((await receiveOne(queue)).body).toBe('lost')
  })

  test('makes the queue look ready until a receiver has put it right', async () => {
    nowMs = 10 * DAY_MS
    const queue = create()
    await queue.sendBatch([{ body: 'later', delaySeconds: 60 }])
    nowMs -= 3 * DAY_MS
    const inventory = createQueueInventory(database, () => nowMs)
    expect(inventory.backlog('items', 5).oldestReadyAt).toBe(nowMs)
    expect(await queue.receive()).toEqual([])
    expect(inventory.backlog('items', 5)).toMatchObject({ ready: 0, nextDueAt: nowMs + 60_000 })
  })
})

test('a delivery that no consumer worked on is not an attempt', async () => {
  const queue = create({ maxRetries: 0, deadLetterQueue: 'dead' })
  await send(queue, 'held')
  for (let round = 0; round < 3; round++) {
    const message = await receiveOne(queue)
    expect(message.attempts).toBe(1)
    expect(await message.retry({ uncounted: true })).toBe('requeued')
  }
  expect(await (await receiveOne(queue)).retry()).toBe('dead-lettered')
})
