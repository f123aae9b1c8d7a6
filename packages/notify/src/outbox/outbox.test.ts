import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type ChannelName, StewardError } from '@steward/contract'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SendOutcome } from '../channels/send-outcome.ts'
import { LONGEST_HOLD_MS } from '../routing/quiet-hours.ts'
import { OUTBOX_MIGRATIONS } from './migrations.ts'
import { type Outbox, openOutbox } from './outbox.ts'
import { deliveryOf } from './testing/deliveries.ts'
import { createVirtualClock } from './testing/virtual-clock.ts'
import { TAKEN_WITHIN_MS } from './unconfirmed-policy.ts'

const DELIVERED: SendOutcome = { state: 'delivered', detail: 'HTTP 200' }
const AWAY = {
  state: 'failed' as const,
  error: new StewardError('upstream_failed', { service: 'push', reason: 'HTTP 500' }),
} satisfies SendOutcome
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
afterEach(async () => {
  await outbox.close()
  rmSync(folder, { recursive: true })
})

const enqueue = async (...given: Parameters<typeof deliveryOf>) => {
  const { deliveries } = await outbox.enqueue('notice-1', [deliveryOf(...given)])
  const [enqueued] = deliveries
  if (enqueued === undefined) throw new Error('nothing was enqueued')
  return enqueued
}
const claim = () => {
  const delivery = outbox.claim('push')
  if (delivery === undefined) throw new Error('nothing may be sent')
  return delivery
}

describe('keeping', () => {
  test('enqueued notices survive the process and are private to the owner', async () => {
    const tags = ['a', 'b']
    const { id } = await enqueue({
      title: 'Grüße',
      tags,
      click: 'https://x',
      color: 0xff,
      sessionId: 's',
    })
    await outbox.close()
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

  test('stores all channels of a notice or none', async () => {
    const broken = deliveryOf({ channel: 'chat', priority: 3 })
    Object.defineProperty(broken, 'title', { value: { no: 'text' } })
    await expect(outbox.enqueue('n', [deliveryOf(), broken])).rejects.toThrow('cannot be bound')
    expect(outbox.list(10)).toEqual([])
  })

  test('a channel that is not set up is recorded and never sent', async () => {
    expect(await enqueue({ skipped: 'push is not configured' })).toMatchObject({ state: 'skipped' })
    expect(outbox.claim('push')).toBeUndefined()
    expect(outbox.list(1)).toMatchObject([{ state: 'skipped', detail: 'push is not configured' }])
  })

  test('a file that is not an outbox, or of a newer Steward, is reported', async () => {
    const text = join(folder, 'text.sqlite')
    writeFileSync(text, 'Dear diary. '.repeat(500))
    const openText = () => openOutbox({ path: text, now: clock.now, random: () => 0 })
    expect(openText).toThrow(`the database ${text} is damaged: it is not an SQLite database`)
    const path = join(folder, 'newer.sqlite')
    const newer = new DatabaseSync(path)
    newer.exec('PRAGMA user_version = 99')
    newer.close()
    const openNewer = () => openOutbox({ path, now: clock.now, random: () => 0 })
    expect(openNewer).toThrow(/newer\.sqlite: a newer Steward wrote it \(schema 99/)
  })
})

describe('a burst', () => {
  const burst = () =>
    Array.from({ length: 50 }, (_, index) =>
      outbox.enqueue('n', [deliveryOf({ message: `${index}` })]),
    )

  test('is one commit: nothing is on disk at first, everything when the first is acknowledged', async () => {
    const other = open()
    const taken = burst()
    expect(other.list(100)).toEqual([])
    await taken[0]
    expect(other.list(100)).toHaveLength(50)
    await Promise.all(taken)
    await other.close()
  })

  test('is written before the outbox closes', async () => {
    const taken = burst()
    await outbox.close()
    await Promise.all(taken)
    outbox = open()
    expect(outbox.list(100)).toHaveLength(50)
  })

  test('with one in it that cannot be kept: that one is refused, the others are kept', async () => {
    const broken = deliveryOf()
    Object.defineProperty(broken, 'title', { value: { no: 'text' } })
    const [before, bad, after] = await Promise.allSettled([
      outbox.enqueue('n', [deliveryOf({ message: 'a' })]),
      outbox.enqueue('n', [broken]),
      outbox.enqueue('n', [deliveryOf({ message: 'b' })]),
    ])
    expect([before.status, bad.status, after.status]).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
    expect(outbox.list(9).map(({ message }) => message)).toEqual(['b', 'a'])
  })
})

test('lists older deliveries, and those of one state', async () => {
  for (const message of ['a', 'b', 'c']) await outbox.enqueue('n', [deliveryOf({ message })])
  const [newest] = outbox.list(1)
  expect(outbox.list(9, { before: newest?.id }).map(({ message }) => message)).toEqual(['b', 'a'])
  expect(outbox.list(9, { state: 'waiting' })).toHaveLength(3)
  expect(outbox.list(9, { state: 'failed' })).toEqual([])
})

describe('a key', () => {
  const take = (key: string, message: string) =>
    outbox.enqueue(`notice of ${message}`, [deliveryOf({ message })], key)

  test('is accepted once, from any caller and whatever the first outcome', async () => {
    const other = open()
    const [first, second] = await Promise.all([
      outbox.enqueue('n1', [deliveryOf({ message: 'a' })], 'run/1'),
      other.enqueue('n2', [deliveryOf({ message: 'b' })], 'run/1'),
    ])
    expect([first?.repeated, second?.repeated].toSorted()).toEqual([false, true])
    await other.close()
    outbox.settle(claim(), DELIVERED)
    await outbox.close()
    outbox = open()
    expect(await take('run/1', 'later')).toMatchObject({
      repeated: true,
      deliveries: [{ state: 'delivered' }],
    })
    expect(outbox.list(9)).toHaveLength(1)
    expect((await take('run/2', 'other')).repeated).toBe(false)
  })

  test('is remembered even without a channel, and forgotten after a month', async () => {
    expect(await outbox.enqueue('n', [], 'run/1')).toEqual({ repeated: false, deliveries: [] })
    expect(await outbox.enqueue('n', [], 'run/1')).toEqual({ repeated: true, deliveries: [] })
    clock.set(clock.now() + 31 * 24 * 60 * MINUTE_MS)
    outbox.prune()
    expect((await take('run/1', 'x')).repeated).toBe(false)
  })
})

describe('the same again', () => {
  test('is merged into the first while that waits and shortly after it was delivered', async () => {
    const first = await enqueue()
    expect(await enqueue()).toMatchObject({ state: 'merged', detail: `the same as ${first.id}` })
    const delivery = claim()
    expect(delivery).toMatchObject({ id: first.id, count: 2 })
    outbox.settle(delivery, DELIVERED)
    clock.set(clock.now() + MINUTE_MS - 1)
    expect(await enqueue()).toMatchObject({ state: 'merged' })
    clock.set(clock.now() + 1)
    expect(await enqueue()).toMatchObject({ state: 'waiting' })
  })

  test('another text, title, kind or channel is not a duplicate', async () => {
    await enqueue()
    const others = [{ message: 'x' }, { title: 'x' }, { kind: null }, { channel: 'chat' as const }]
    for (const other of others) expect(await enqueue(other)).toMatchObject({ state: 'waiting' })
  })

  test('after giving up, the same text is sent again', async () => {
    await enqueue()
    const error = new StewardError('not_configured', { subject: 'push', reason: 'x' })
    outbox.settle(claim(), { state: 'failed', error })
    expect(await enqueue()).toMatchObject({ state: 'waiting' })
  })
})

describe('sending', () => {
  test('sends the urgent first, then the oldest; never anything delivered', async () => {
    for (const [message, priority] of [
      ['a', 3],
      ['b', 5],
      ['c', 3],
    ] as const) {
      await enqueue({ message, priority })
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

  test('pauses a channel after a failure, then sends untried messages first', async () => {
    await enqueue({ message: 'chokes', priority: 5 })
    await enqueue({ message: 'other', priority: 1 })
    expect(outbox.settle(claim(), AWAY)).toBe('waiting')
    expect(outbox.claim('push')).toBeUndefined()
    clock.set(clock.now() + 4999)
    expect(outbox.claim('push')).toBeUndefined()
    clock.set(clock.now() + 1)
    expect(claim().message).toBe('other')
  })

  test("waits grow, and the service's Retry-After is respected", async () => {
    await enqueue()
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

  test('it is given up after so many attempts, with a record of why', async () => {
    const { id } = await enqueue()
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
      {},
    ])
  })

  test('a notice that waited for a day is given up unsent', async () => {
    const { id } = await enqueue()
    clock.set(clock.now() + 24 * 60 * MINUTE_MS + 1)
    expect(outbox.claim('push')).toBeUndefined()
    expect(outbox.find(id)).toMatchObject({ state: 'failed', attempts: 0 })
  })

  test('a notice held for quiet hours is sent at their end, and its age counts from then', async () => {
    const { id } = await enqueue({ channel: 'desktop', heldUntil: clock.now() + 480 * MINUTE_MS })
    expect(outbox.claim('desktop')).toBeUndefined()
    clock.set(clock.now() + 480 * MINUTE_MS - 1)
    expect(outbox.claim('desktop')).toBeUndefined()
    expect(outbox.find(id)).toMatchObject({ state: 'waiting' })
    clock.set(clock.now() + 1)
    expect(outbox.claim('desktop')).toMatchObject({ id })
  })

  test('a refusal is final immediately and does not pause the others', async () => {
    await enqueue({ message: 'bad' })
    await enqueue({ message: 'good' })
    const error = new StewardError('rejected_content', { subject: 'push', reason: 'HTTP 413' })
    expect(outbox.settle(claim(), { state: 'failed', error })).toBe('failed')
    expect(claim().message).toBe('good')
  })

  test('rate limits hold across processes and restarts', async () => {
    for (let count = 0; count < 30; count++) await enqueue({ message: `${count}` })
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
    await outbox.close()
    outbox = open()
    expect(drain()).toBe(0)
    clock.set(clock.now() + MINUTE_MS)
    expect(drain()).toBe(12)
    // Setting the clock back blocks nothing.
    clock.set(clock.now() - 10 * MINUTE_MS)
    await outbox.enqueue('n', [deliveryOf({ message: 'later' })])
    expect(drain()).toBeGreaterThan(0)
  })

  test('an attempt counts from its start, so one that kills its process is not repeated endlessly', async () => {
    const { id } = await enqueue()
    claim()
    await outbox.close()
    outbox = open()
    expect(outbox.find(id)).toMatchObject({ state: 'waiting', attempts: 1 })
    clock.set(clock.now() + TAKEN_WITHIN_MS)
    outbox.resolve(unconfirmed('push'), { state: 'missing' })
    expect(claim()).toMatchObject({ id, attempts: 2 })
  })
})

const unconfirmed = (channel: ChannelName) => {
  const found = outbox.findUnconfirmed(channel)
  if (found === undefined) throw new Error('there is no unconfirmed delivery')
  return found
}

describe('a clock that is set back by a day', () => {
  const DAY_MS = 24 * 60 * MINUTE_MS
  const HOUR_MS = 60 * MINUTE_MS

  test.each([
    ['in the running process', false],
    ['before a restart', true],
  ])(
    '%s silences no channel: old and new notices go out within the longest wait',
    async (_, restarts) => {
      await enqueue({ message: 'tried' })
      await enqueue({ message: 'untried' })
      const tried = claim()
      outbox.settle(tried, AWAY)
      if (restarts) await outbox.close()
      clock.set(clock.now() - DAY_MS)
      if (restarts) outbox = open()
      await enqueue({ message: 'new' })
      expect(outbox.claim('push')).toBeUndefined()
      clock.set(clock.now() + HOUR_MS)
      const sent = Array.from({ length: 3 }, () => {
        const delivery = claim()
        outbox.settle(delivery, DELIVERED)
        return delivery.message
      })
      expect(sent).toEqual(['untried', 'new', tried.message])
    },
  )

  test('sends an untried notice immediately', async () => {
    await enqueue({ message: 'untried' })
    clock.set(clock.now() - DAY_MS)
    expect(claim().message).toBe('untried')
  })

  test.each([8, 23, 47])(
    'keeps the length of a hold of %i hours for quiet hours',
    async (hours) => {
      await enqueue({ heldUntil: clock.now() + hours * HOUR_MS })
      clock.set(clock.now() - DAY_MS)
      const start = clock.now()
      for (let waitedMs = 0; waitedMs < hours * HOUR_MS; waitedMs += HOUR_MS) {
        clock.set(start + waitedMs)
        expect(outbox.claim('push')).toBeUndefined()
      }
      clock.set(start + hours * HOUR_MS)
      expect(claim().heldUntil).toBe(start + hours * HOUR_MS)
    },
  )

  test('ends a hold that is longer than any', async () => {
    await enqueue({ heldUntil: clock.now() + 30 * DAY_MS })
    expect(outbox.claim('push')).toBeUndefined()
    clock.set(clock.now() + LONGEST_HOLD_MS)
    expect(claim().attempts).toBe(1)
  })

  test('does not keep back a notice because the same was sent in the future', async () => {
    await enqueue({ message: 'done' })
    outbox.settle(claim(), DELIVERED)
    clock.set(clock.now() - DAY_MS)
    expect(await enqueue({ message: 'done' })).toMatchObject({ state: 'waiting' })
  })
})

test('a hold for quiet hours keeps its length while the clock runs', async () => {
  const until = clock.now() + LONGEST_HOLD_MS
  await enqueue({ heldUntil: until })
  for (let at = clock.now(); at < until; at += 60 * MINUTE_MS) {
    clock.set(at)
    expect(outbox.claim('push')).toBeUndefined()
  }
  clock.set(until)
  expect(claim().heldUntil).toBe(until)
})

describe('an attempt without a known outcome', () => {
  const UNASKABLE = { state: 'unaskable', reason: 'nobody can be asked' } as const

  const cutOff = async (channel: ChannelName) => {
    const { id } = await enqueue({ channel })
    expect(outbox.claim(channel)).toMatchObject({ id })
    await outbox.close()
    outbox = open()
    expect(outbox.claim(channel)).toBeUndefined()
    return id
  }

  test.each([
    ['push', 'waiting', 'outcome unknown (nobody can be asked), sent again: a repeat has the id'],
    ['chat', 'waiting', 'outcome unknown (nobody can be asked), sent again: a webhook cannot'],
    ['email', 'waiting', 'outcome unknown (nobody can be asked), sent again: a mail server cannot'],
    ['desktop', 'failed', 'outcome unknown, not sent again: a desktop cannot be asked'],
  ] as const)(
    'of %s, with an unknown outcome, is %s, with a record of why',
    async (channel, state, detail) => {
      const id = await cutOff(channel)
      expect(outbox.resolve(unconfirmed(channel), UNASKABLE)).toBe(state)
      expect(outbox.find(id)).toMatchObject({ state, detail: expect.stringContaining(detail) })
      if (state === 'failed') return
      const again = outbox.claim(channel)
      expect(again).toMatchObject({ id, attempts: 2, isRepeat: true })
      if (again !== undefined) outbox.settle(again, DELIVERED)
      expect(outbox.find(id)?.detail).toBe('HTTP 200; an attempt before may have arrived too')
    },
  )

  test('is looked up with growing delays, and after five failed queries the policy decides', async () => {
    const id = await cutOff('push')
    const failed = { state: 'failed', error: AWAY.error } as const
    for (const waitMs of [5, 15, 45, 135].map((seconds) => seconds * 1000)) {
      expect(outbox.resolve(unconfirmed('push'), failed)).toBe('waiting')
      expect(outbox.find(id)?.detail).toContain('whether it arrived is not known yet')
      clock.set(clock.now() + waitMs - 1)
      expect(outbox.findUnconfirmed('push')).toBeUndefined()
      clock.set(clock.now() + 1)
    }
    outbox.resolve(unconfirmed('push'), failed)
    expect(outbox.findUnconfirmed('push')).toBeUndefined()
    clock.set(clock.now() + 405_000)
    expect(claim()).toMatchObject({ id, isRepeat: true })
  })

  test('is not held up by a clock that was set back', async () => {
    const id = await cutOff('push')
    clock.set(clock.now() - 60 * MINUTE_MS)
    outbox.resolve(unconfirmed('push'), { state: 'missing' })
    expect(outbox.findUnconfirmed('push')).toBeUndefined()
    clock.set(clock.now() + TAKEN_WITHIN_MS)
    outbox.resolve(unconfirmed('push'), { state: 'missing' })
    expect(outbox.find(id)).toMatchObject({ attemptAt: 0, isRepeat: false })
  })

  test('is queried at any age, and given up if it did not arrive', async () => {
    const id = await cutOff('push')
    clock.set(clock.now() + 25 * 60 * MINUTE_MS)
    outbox.resolve(unconfirmed('push'), { state: 'missing' })
    expect(outbox.claim('push')).toBeUndefined()
    expect(outbox.find(id)).toMatchObject({
      state: 'failed',
      detail: 'given up after too long a wait: an attempt before did not arrive',
    })
  })

  test('does not prolong the attempts', async () => {
    const { id } = await enqueue()
    for (let attempt = 1; attempt <= 12; attempt++) {
      outbox.settle(claim(), { ...AWAY, isUncertain: true })
      clock.set(clock.now() + 30 * MINUTE_MS)
      outbox.resolve(unconfirmed('push'), { state: 'missing' })
    }
    expect(outbox.find(id)).toMatchObject({ state: 'failed', attempts: 12 })
  })

  test('holds back identical texts only', async () => {
    const first = await cutOff('push')
    clock.set(clock.now() + MINUTE_MS)
    const second = await enqueue()
    const other = await enqueue({ message: 'other' })
    expect(claim().id).toBe(other.id)
    expect(outbox.claim('push')).toBeUndefined()
    outbox.resolve(unconfirmed('push'), { state: 'found', detail: '' })
    expect(outbox.find(first)?.state).toBe('delivered')
    expect(outbox.claim('push')).toBeUndefined()
    clock.set(clock.now() + TAKEN_WITHIN_MS + 1)
    expect(claim().id).toBe(second.id)
  })

  test('is known as one in an outbox of before', async () => {
    await outbox.close()
    rmSync(path)
    const older = new DatabaseSync(path)
    for (const migration of OUTBOX_MIGRATIONS.slice(0, 2)) older.exec(migration)
    older.exec(`PRAGMA user_version = 2;
      INSERT INTO deliveries (id, notice, channel, title, message, priority, tags, digest, state,
        attempts, created_at, next_at, detail)
      VALUES ('cut', 'n', 'push', 't', 'm', 3, '[]', 'd', 'waiting', 1, 5, 5, NULL),
        ('failed', 'n', 'push', 't', 'm', 3, '[]', 'd', 'waiting', 1, 5, 5, 'HTTP 500')`)
    older.close()
    outbox = open()
    expect(unconfirmed('push').delivery).toMatchObject({ id: 'cut', attemptAt: 5 })
    expect(outbox.find('failed')).toMatchObject({ attemptAt: 0 })
  })
})

describe('the log', () => {
  test('keeps waiting and new entries, drops old ones', async () => {
    await enqueue({ message: 'old' })
    outbox.settle(claim(), DELIVERED)
    await enqueue({ message: 'waits', channel: 'chat' })
    clock.set(clock.now() + 31 * 24 * 60 * MINUTE_MS)
    await enqueue({ message: 'new' })
    outbox.prune()
    expect(outbox.list(10).map(({ message }) => message)).toEqual(['new', 'waits'])
  })

  test('also contains messages sent without the outbox', async () => {
    outbox.record(deliveryOf({ title: 'A test' }), AWAY)
    expect(outbox.list(1)).toMatchObject([{ title: 'A test', state: 'failed', attempts: 1 }])
    expect(outbox.channelStates()[0]).toMatchObject({
      failures: 1,
      lastError: expect.stringContaining('HTTP 500'),
    })
  })
})

test('how long a task took is measured for each session and counted once', async () => {
  await outbox.taskTimes.begin('a')
  clock.set(clock.now() + 1000)
  await outbox.taskTimes.begin('b')
  clock.set(clock.now() + 500)
  await outbox.close()
  outbox = open()
  expect(await outbox.taskTimes.end('a')).toBe(1500)
  expect(await outbox.taskTimes.end('b')).toBe(500)
  expect(await outbox.taskTimes.end('a')).toBeUndefined()
  expect(await outbox.taskTimes.end('unknown')).toBeUndefined()
})
