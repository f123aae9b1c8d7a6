import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StewardError } from '@steward/contract'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SendOutcome } from '../channels/send-outcome.ts'
import { type Outbox, openOutbox } from './outbox.ts'
import { deliveryOf } from './testing/deliveries.ts'
import { createVirtualClock } from './testing/virtual-clock.ts'

const DELIVERED: SendOutcome = { state: 'delivered', detail: 'HTTP 200' }
const AWAY: SendOutcome = {
  state: 'failed',
  error: new StewardError('upstream_failed', { service: 'push', reason: 'HTTP 500' }),
}
const MINUTE_MS = 60_000

let folder = ''
let path = ''
let clock: ReturnType<typeof createVirtualClock>
let outbox: Outbox
const open = () => openOutbox({ path, now: clock.now, random: () => 1 })

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-outbox-'))
  path = join(folder, 'state', 'outbox.sqlite')
  clock = createVirtualClock()
  outbox = open()
})
afterEach(() => {
  outbox.close()
  rmSync(folder, { recursive: true })
})

const enqueue = (...given: Parameters<typeof deliveryOf>) => {
  const [enqueued] = outbox.enqueue('notice-1', [deliveryOf(...given)])
  if (enqueued === undefined) throw new Error('nothing was enqueued')
  return enqueued
}
const claim = () => {
  const delivery = outbox.claim('push')
  if (delivery === undefined) throw new Error('nothing may be sent')
  return delivery
}

describe('keeping', () => {
  test('what was enqueued is there for the next process, private to its owner', () => {
    const tags = ['a', 'b']
    const { id } = enqueue({
      title: 'Grüße',
      tags,
      click: 'https://x',
      color: 0xff,
      sessionId: 's',
    })
    outbox.close()
    outbox = open()
    expect(outbox.find(id)).toMatchObject({
      title: 'Grüße',
      tags,
      click: 'https://x',
      color: 0xff,
      sessionId: 's',
      state: 'waiting',
      createdAt: clock.now(),
    })
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('all channels of a notice are kept, or none', () => {
    const broken = deliveryOf({ channel: 'chat', priority: 3 })
    Object.defineProperty(broken, 'title', { value: { no: 'text' } })
    expect(() => outbox.enqueue('n', [deliveryOf(), broken])).toThrow(StewardError)
    expect(outbox.list(10)).toEqual([])
  })

  test('a channel that is not set up is recorded and never sent', () => {
    expect(enqueue({ skipped: 'push is not configured' })).toMatchObject({ state: 'skipped' })
    expect(outbox.claim('push')).toBeUndefined()
    expect(outbox.list(1)).toMatchObject([{ state: 'skipped', detail: 'push is not configured' }])
  })

  test('a file that is no outbox, or of a newer Steward, is named', () => {
    const text = join(folder, 'text.sqlite')
    writeFileSync(text, 'Dear diary. '.repeat(500))
    const openText = () => openOutbox({ path: text, now: clock.now, random: () => 0 })
    expect(openText).toThrow(`could not write ${text}: it is not an SQLite database`)
  })
})

describe('the same again', () => {
  test('is merged into the first while that waits and shortly after it was delivered', () => {
    const first = enqueue()
    expect(enqueue()).toMatchObject({ state: 'merged', detail: `the same as ${first.id}` })
    const delivery = claim()
    expect(delivery).toMatchObject({ id: first.id, count: 2 })
    outbox.settle(delivery, DELIVERED)
    clock.set(clock.now() + MINUTE_MS - 1)
    expect(enqueue()).toMatchObject({ state: 'merged' })
    clock.set(clock.now() + 1)
    expect(enqueue()).toMatchObject({ state: 'waiting' })
  })

  test('another text, title, kind or channel is not the same', () => {
    enqueue()
    const others = [{ message: 'x' }, { title: 'x' }, { kind: null }, { channel: 'chat' as const }]
    for (const other of others) expect(enqueue(other)).toMatchObject({ state: 'waiting' })
  })

  test('after one that was given up it is said anew', () => {
    enqueue()
    const error = new StewardError('not_configured', { subject: 'push', reason: 'x' })
    outbox.settle(claim(), { state: 'failed', error })
    expect(enqueue()).toMatchObject({ state: 'waiting' })
  })
})

describe('sending', () => {
  test('the urgent first, then the oldest; what was delivered never again', () => {
    for (const [message, priority] of [
      ['a', 3],
      ['b', 5],
      ['c', 3],
    ] as const) {
      enqueue({ message, priority })
    }
    const sent = [1, 2, 3].map(() => {
      const delivery = claim()
      outbox.settle(delivery, DELIVERED)
      return delivery.message
    })
    expect(sent).toEqual(['b', 'a', 'c'])
    expect(outbox.claim('push')).toBeUndefined()
    expect(outbox.list(3).map(({ state, detail }) => [state, detail])).toEqual(
      Array.from({ length: 3 }, () => ['delivered', 'HTTP 200']),
    )
  })

  test('after a failure the channel rests, then one that was not tried yet goes first', () => {
    enqueue({ message: 'chokes', priority: 5 })
    enqueue({ message: 'other', priority: 1 })
    expect(outbox.settle(claim(), AWAY)).toBe('waiting')
    expect(outbox.claim('push')).toBeUndefined()
    clock.set(clock.now() + 4999)
    expect(outbox.claim('push')).toBeUndefined()
    clock.set(clock.now() + 1)
    expect(claim().message).toBe('other')
  })

  test('waits grow, and what the service asks for is kept to', () => {
    enqueue()
    const waits = [5, 15, 45, 135, 405, 1215, 1800, 1800].map((seconds) => seconds * 1000)
    for (const waitMs of waits) {
      outbox.settle(claim(), AWAY)
      clock.set(clock.now() + waitMs - 1)
      expect(outbox.claim('push')).toBeUndefined()
      clock.set(clock.now() + 1)
    }
    outbox.settle(claim(), { ...AWAY, retryAfterMs: 3_600_000 })
    clock.set(clock.now() + 3_600_000 - 1)
    expect(outbox.claim('push')).toBeUndefined()
    clock.set(clock.now() + 1)
    expect(claim().attempts).toBe(10)
  })

  test('it is given up after so many attempts, with a record of why', () => {
    const { id } = enqueue()
    for (let attempt = 1; attempt <= 12; attempt++) {
      outbox.settle(claim(), AWAY)
      clock.set(clock.now() + 30 * MINUTE_MS)
    }
    expect(outbox.find(id)).toMatchObject({
      state: 'failed',
      attempts: 12,
      detail: expect.stringMatching(/^given up after 12 attempts: .*HTTP 500/),
    })
    expect(outbox.channelStates()).toMatchObject([
      { channel: 'push', waiting: 0, failures: 12 },
      {},
      {},
      {},
    ])
  })

  test('what waited for a day is given up unsent', () => {
    const { id } = enqueue()
    clock.set(clock.now() + 24 * 60 * MINUTE_MS + 1)
    expect(outbox.claim('push')).toBeUndefined()
    expect(outbox.find(id)).toMatchObject({ state: 'failed', attempts: 0 })
  })

  test('a refusal is final at once and no reason for the others to rest', () => {
    enqueue({ message: 'bad' })
    enqueue({ message: 'good' })
    const error = new StewardError('rejected_content', { subject: 'push', reason: 'HTTP 413' })
    expect(outbox.settle(claim(), { state: 'failed', error })).toBe('failed')
    expect(claim().message).toBe('good')
  })

  test('no more go out than the channel allows, whoever sends, also across restarts', () => {
    for (let count = 0; count < 30; count++) enqueue({ message: `${count}` })
    const drain = () => {
      let sent = 0
      for (;;) {
        const delivery = outbox.claim('push')
        if (delivery === undefined) return sent
        outbox.settle(delivery, DELIVERED)
        sent++
      }
    }
    expect(drain()).toBe(12)
    outbox.close()
    outbox = open()
    expect(drain()).toBe(0)
    clock.set(clock.now() + MINUTE_MS)
    expect(drain()).toBe(12)
    // A clock that is set back holds nothing up.
    clock.set(clock.now() - 10 * MINUTE_MS)
    outbox.enqueue('n', [deliveryOf({ message: 'later' })])
    expect(drain()).toBeGreaterThan(0)
  })

  test('an attempt counts from its beginning: one that kills its process is not made forever', () => {
    const { id } = enqueue()
    claim()
    outbox.close()
    outbox = open()
    expect(outbox.find(id)).toMatchObject({ state: 'waiting', attempts: 1 })
    expect(claim()).toMatchObject({ id, attempts: 2 })
  })
})

describe('the log', () => {
  test('keeps what waits and the newest, drops the old', () => {
    enqueue({ message: 'old' })
    outbox.settle(claim(), DELIVERED)
    enqueue({ message: 'waits', channel: 'chat' })
    clock.set(clock.now() + 31 * 24 * 60 * MINUTE_MS)
    enqueue({ message: 'new' })
    outbox.prune()
    expect(outbox.list(10).map(({ message }) => message)).toEqual(['new', 'waits'])
  })

  test('holds what was sent past the outbox too', () => {
    outbox.record(deliveryOf({ title: 'A test' }), AWAY)
    expect(outbox.list(1)).toMatchObject([{ title: 'A test', state: 'failed', attempts: 1 }])
    expect(outbox.channelStates()[0]).toMatchObject({
      failures: 1,
      lastError: expect.stringContaining('HTTP 500'),
    })
  })
})

test('how long a task took is measured for each session and counted once', () => {
  outbox.taskTimes.begin('a')
  clock.set(clock.now() + 1000)
  outbox.taskTimes.begin('b')
  clock.set(clock.now() + 500)
  outbox.close()
  outbox = open()
  expect(outbox.taskTimes.end('a')).toBe(1500)
  expect(outbox.taskTimes.end('b')).toBe(500)
  expect(outbox.taskTimes.end('a')).toBeUndefined()
  expect(outbox.taskTimes.end('unknown')).toBeUndefined()
})
