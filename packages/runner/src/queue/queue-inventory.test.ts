import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../../platform/src/database/database.ts'
import { createQueue } from './queue.ts'
import { createQueueInventory } from './queue-inventory.ts'
import { QUEUE_MIGRATIONS } from './schema.ts'

let directory = ''
let database: Database
let nowMs = 1000
const now = () => nowMs
const open = (name: string) =>
  createQueue(database, name, { now, maxRetries: 1, deadLetterQueue: `${name}-dead` })

beforeEach(() => {
  nowMs = 1000
  directory = mkdtempSync(join(tmpdir(), 'steward-inventory-'))
  database = openDatabase(join(directory, 'queues.sqlite'), { migrations: QUEUE_MIGRATIONS })
})
afterEach(async () => {
  await database.close()
  rmSync(directory, { recursive: true, force: true })
})

test('counts ready, delayed and leased messages, with their times', async () => {
  const inventory = createQueueInventory(database, now)
  const queue = open('items')
  await queue.sendBatch([{ body: 1 }, { body: 2 }, { body: 3, delaySeconds: 60 }])
  await queue.receive(1)
  nowMs = 5000
  expect(inventory.names()).toEqual(['items'])
  expect(inventory.stock('items')).toEqual({
    queue: 'items',
    ready: 1,
    delayed: 1,
    leased: 1,
    oldestReadyAt: 1000,
    nextDueAt: 61_000,
    oldestSentAt: 1000,
  })
  expect(inventory.backlog('items', 1)).toEqual({
    ready: 1,
    oldestReadyAt: 1000,
    nextDueAt: 61_000,
  })
  expect(inventory.peek('items', 2)).toMatchObject([
    { body: 2, attempts: 0, state: 'ready' },
    { body: 3, state: 'delayed' },
  ])
  expect(inventory.stock('nothing')).toMatchObject({ ready: 0, oldestSentAt: undefined })
})

test('leases of a dead process are revoked, and count as deliveries', async () => {
  const inventory = createQueueInventory(database, now)
  const queue = open('items')
  await queue.sendBatch([{ body: 'a' }])
  await queue.receive()
  expect(await queue.receive()).toEqual([])
  expect(await inventory.releaseLeases()).toBe(1)
  expect(await queue.receive()).toMatchObject([{ body: 'a', attempts: 2 }])
})

test('dead letters move back as if just sent; leased ones stay', async () => {
  const inventory = createQueueInventory(database, now)
  const queue = open('items')
  await queue.sendBatch([{ body: 'a' }, { body: 'b' }])
  for (let delivery = 0; delivery < 2; delivery++) {
    for (const message of await queue.receive()) await message.retry()
  }
  expect(queue.inspect()).toMatchObject({ ready: 0, dead: 2 })
  await open('items-dead').receive(1)
  expect(await inventory.moveAll('items-dead', 'items')).toBe(1)
  expect(await queue.receive()).toMatchObject([{ attempts: 1 }])
})
