import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StewardError } from '@steward/contract'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { failed, type SendOutcome } from '../channels/send-outcome.ts'
import type { NewDelivery } from './delivery.ts'
import { DELIVERY_POLICY } from './delivery-policy.ts'
import { type Outbox, openOutbox } from './outbox.ts'
import { createPump } from './pump.ts'
import { deliveryOf } from './testing/deliveries.ts'
import { createVirtualClock } from './testing/virtual-clock.ts'

const DELIVERED: SendOutcome = { state: 'delivered', detail: 'HTTP 200' }
const REFUSED = failed(new StewardError('rejected_content', { subject: 'push', reason: '403' }))
const AWAY = failed(new StewardError('upstream_failed', { service: 'push', reason: '500' }))
const DAY_MS = 86_400_000

let folder = ''
let clock: ReturnType<typeof createVirtualClock>
let outbox: Outbox
const open = () =>
  openOutbox({ path: join(folder, 'outbox.sqlite'), now: clock.now, random: () => 1 })

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-retry-'))
  clock = createVirtualClock()
  outbox = open()
})
afterEach(async () => {
  await outbox.close()
  rmSync(folder, { recursive: true })
})

const enqueue = async (given: Partial<NewDelivery> = {}): Promise<string> => {
  const { deliveries } = await outbox.enqueue('n', [deliveryOf(given)])
  return deliveries[0]?.id ?? ''
}
const attempt = (outcome: SendOutcome) => {
  const delivery = outbox.claim('push')
  if (delivery === undefined) throw new Error('nothing may be sent')
  return outbox.settle(delivery, outcome)
}
const failOne = async (): Promise<string> => {
  const id = await enqueue()
  expect(attempt(REFUSED)).toBe('failed')
  return id
}

test('a failed delivery waits again under its id, and is delivered', async () => {
  const id = await failOne()
  expect(outbox.claim('push')).toBeUndefined()
  expect(outbox.retry(id)).toMatchObject({
    isQueued: true,
    sendsAt: clock.now(),
    delivery: { id, state: 'waiting', attempts: 0, detail: null, finishedAt: null },
  })
  expect(outbox.claim('push')).toMatchObject({ id, attempts: 1, isRepeat: false })
  const claimed = outbox.find(id)
  if (claimed === undefined) throw new Error('the delivery is gone')
  expect(outbox.settle(claimed, DELIVERED)).toBe('delivered')
  expect(outbox.list(9)).toMatchObject([{ id, state: 'delivered', detail: 'HTTP 200' }])
})

test('a retry that fails can be retried again', async () => {
  const id = await failOne()
  outbox.retry(id)
  expect(attempt(REFUSED)).toBe('failed')
  expect(outbox.retry(id)).toMatchObject({ isQueued: true })
})

test('two clicks, also in two processes, send it once', async () => {
  const id = await failOne()
  const other = open()
  const sent: string[] = []
  const pump = createPump({
    outbox,
    setTimer: clock.setTimer,
    send: async (_, message) => {
      sent.push(message.id)
      return DELIVERED
    },
    ask: async () => ({ state: 'missing' }),
    onSettled: () => undefined,
    onResolved: () => undefined,
    onFault: (message) => sent.push(message),
  })
  expect([outbox, outbox, other].map((box) => box.retry(id)?.isQueued)).toEqual([
    true,
    false,
    false,
  ])
  expect(await pump.flush()).toBe(true)
  expect(other.retry(id)).toMatchObject({ isQueued: false, delivery: { state: 'delivered' } })
  expect(await pump.flush()).toBe(true)
  expect(sent).toEqual([id])
  await pump.stop()
  await other.close()
})

describe('stays as it is', () => {
  test('a delivery that waits or is under way', async () => {
    const id = await enqueue()
    expect(outbox.retry(id)).toMatchObject({ isQueued: false, delivery: { state: 'waiting' } })
    outbox.claim('push')
    expect(outbox.retry(id)).toMatchObject({ isQueued: false, delivery: { attempts: 1 } })
    expect(outbox.find(id)?.attemptAt).toBe(clock.now())
  })

  test('a delivery that arrived, was merged, or had no channel', async () => {
    const delivered = await enqueue()
    const merged = await enqueue()
    attempt(DELIVERED)
    const skipped = await enqueue({ message: 'other', skipped: 'push is not configured' })
    const states = [delivered, merged, skipped].map((id) => outbox.retry(id))
    expect(states).toMatchObject([
      { isQueued: false, delivery: { state: 'delivered' } },
      { isQueued: false, delivery: { state: 'merged' } },
      { isQueued: false, delivery: { state: 'skipped' } },
    ])
    expect(outbox.claim('push')).toBeUndefined()
  })

  test('an unknown id has no delivery', () => {
    expect(outbox.retry('gone')).toBeUndefined()
  })
})

test('its age counts from the retry, and it has all attempts', async () => {
  const id = await failOne()
  clock.set(clock.now() + 3 * DAY_MS)
  outbox.retry(id)
  expect(attempt(AWAY)).toBe('waiting')
  for (let count = 2; count < DELIVERY_POLICY.push.maxAttempts; count++) {
    clock.set(clock.now() + 1_800_000)
    expect(attempt(AWAY)).toBe('waiting')
  }
  clock.set(clock.now() + 1_800_000)
  expect(attempt(AWAY)).toBe('failed')
  expect(outbox.find(id)?.detail).toContain('given up after 12 attempts')
})

test('it waits for the pause of its channel, and reports it', async () => {
  const id = await failOne()
  await enqueue({ message: 'another' })
  expect(attempt(AWAY)).toBe('waiting')
  const { sendsAt = 0 } = outbox.retry(id) ?? {}
  expect(sendsAt).toBeGreaterThan(clock.now())
  expect(outbox.claim('push')).toBeUndefined()
  clock.set(sendsAt)
  expect(outbox.claim('push')).toMatchObject({ id })
})

test('if an earlier attempt may have arrived, the next one says that it is a repeat', async () => {
  const id = await enqueue({ channel: 'desktop' })
  outbox.claim('desktop')
  const unconfirmed = outbox.findUnconfirmed('desktop')
  if (unconfirmed === undefined) throw new Error('its outcome is known')
  expect(outbox.resolve(unconfirmed, { state: 'unaskable', reason: 'x' })).toBe('failed')
  outbox.retry(id)
  expect(outbox.claim('desktop')).toMatchObject({ id, isRepeat: true })
})

test('a retry that is interrupted is unconfirmed until its channel is asked', async () => {
  const id = await failOne()
  outbox.retry(id)
  outbox.claim('push')
  await outbox.close()
  outbox = open()
  expect(outbox.claim('push')).toBeUndefined()
  const unconfirmed = outbox.findUnconfirmed('push')
  if (unconfirmed === undefined) throw new Error('its outcome is known')
  expect(unconfirmed.delivery.id).toBe(id)
  expect(outbox.resolve(unconfirmed, { state: 'found', detail: 'it is there' })).toBe('delivered')
  expect(outbox.retry(id)).toMatchObject({ isQueued: false })
})
