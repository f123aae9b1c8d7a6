import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChannelName } from '@steward/contract'
import { StewardError } from '@steward/contract'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { AskOutcome } from '../channels/ask-outcome.ts'
import type { OutgoingMessage } from '../channels/outgoing-message.ts'
import type { SendOutcome } from '../channels/send-outcome.ts'
import { type Outbox, openOutbox } from './outbox.ts'
import { createPump, type Pump } from './pump.ts'
import { deliveryOf } from './testing/deliveries.ts'
import { createVirtualClock } from './testing/virtual-clock.ts'

const DELIVERED: SendOutcome = { state: 'delivered', detail: 'HTTP 200' }
const AWAY: SendOutcome = {
  state: 'failed',
  error: new StewardError('upstream_failed', { service: 'push', reason: 'HTTP 500' }),
}

let folder = ''
let clock: ReturnType<typeof createVirtualClock>
let sent: string[] = []
let asked: string[] = []
let faults: string[] = []
const opened: { outbox: Outbox; pump: Pump }[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-pump-'))
  clock = createVirtualClock()
  sent = []
  asked = []
  faults = []
})
afterEach(async () => {
  for (const { outbox, pump } of opened.splice(0)) {
    await pump.stop()
    await outbox.close()
  }
  rmSync(folder, { recursive: true })
})

type Send = (channel: ChannelName, message: OutgoingMessage) => Promise<SendOutcome>

/** One of several processes that share the outbox. */
const open = (
  name = '',
  answer: Send = async () => DELIVERED,
  wrap = (outbox: Outbox) => outbox,
  tell: () => AskOutcome = () => ({ state: 'missing' }),
) => {
  const outbox = wrap(
    openOutbox({ path: join(folder, 'outbox.sqlite'), now: clock.now, random: () => 1 }),
  )
  const pump = createPump({
    outbox,
    setTimer: clock.setTimer,
    send: (channel, message) => {
      sent.push(`${name}${message.message}`)
      return answer(channel, message)
    },
    ask: async (channel, { delivery }) => {
      asked.push(`${name}${channel} ${delivery.message}`)
      return tell()
    },
    onSettled: () => undefined,
    onResolved: () => undefined,
    onFault: (message) => faults.push(message),
  })
  opened.push({ outbox, pump })
  const say = (message: string, channel: ChannelName = 'push') =>
    outbox.enqueue('n', [deliveryOf({ message, channel })])
  return { outbox, pump, say }
}

test('delivers new notices, those of other processes within a second, and stops', async () => {
  const daemon = open()
  const hook = open('hook ')
  daemon.pump.start()
  await daemon.say('own')
  daemon.pump.wake()
  await clock.advance(0)
  expect(sent).toEqual(['own'])
  await hook.say('of a hook')
  await clock.advance(1000)
  expect(sent).toEqual(['own', 'of a hook'])
  await daemon.pump.stop()
  await hook.say('later')
  await clock.advance(10_000)
  expect(sent).toHaveLength(2)
})

test('of two processes one pumps; when it dies the other takes over', async () => {
  const first = open('1 ')
  const second = open('2 ')
  first.pump.start()
  second.pump.start()
  await first.say('a')
  await clock.advance(1000)
  expect(await second.pump.flush()).toBe(false)
  expect(sent).toEqual(['1 a'])
  await first.pump.stop()
  await second.say('b')
  await clock.advance(1000)
  expect(sent).toEqual(['1 a', '2 b'])
})

test('a flush delivers due notices and releases the lock', async () => {
  const cli = open('cli ', async (_, { message }) => (message === 'bad' ? AWAY : DELIVERED))
  await cli.say('good')
  await cli.say('bad')
  await cli.say('chat', 'chat')
  expect(await cli.pump.flush()).toBe(true)
  expect(sent.toSorted()).toEqual(['cli bad', 'cli chat', 'cli good'])
  const daemon = open('daemon ')
  daemon.pump.start()
  await clock.advance(5000)
  expect(sent.at(-1)).toBe('daemon bad')
})

test('a channel that hangs holds up no other', async () => {
  let answerPush: (outcome: SendOutcome) => void = () => undefined
  const daemon = open('', (channel) =>
    channel === 'push'
      ? new Promise((resolve) => {
          answerPush = resolve
        })
      : Promise.resolve(DELIVERED),
  )
  daemon.pump.start()
  await daemon.say('hangs')
  await clock.advance(1000)
  await daemon.say('goes', 'chat')
  await clock.advance(1000)
  expect(sent).toEqual(['hangs', 'goes'])
  answerPush(DELIVERED)
  await clock.advance(0)
  expect(daemon.outbox.list(2).map(({ state }) => state)).toEqual(['delivered', 'delivered'])
})

test('a stop waits for the running delivery and stores its result', async () => {
  let answer: (outcome: SendOutcome) => void = () => undefined
  const daemon = open(
    '',
    () =>
      new Promise((resolve) => {
        answer = resolve
      }),
  )
  daemon.pump.start()
  const { deliveries } = await daemon.say('x')
  const [{ id = '' } = {}] = deliveries
  await clock.advance(1000)
  const stopped = daemon.pump.stop()
  answer(DELIVERED)
  await stopped
  expect(daemon.outbox.find(id)?.state).toBe('delivered')
})

test('during an outage it retries with growing pauses, then sends everything once', async () => {
  let isAway = true
  const daemon = open('', async () => (isAway ? AWAY : DELIVERED))
  daemon.pump.start()
  for (const message of ['a', 'b', 'c']) await daemon.say(message)
  await clock.advance(3_600_000)
  expect(sent.length).toBeLessThan(12)
  isAway = false
  sent = []
  await clock.advance(3_600_000)
  expect(sent.toSorted()).toEqual(['a', 'b', 'c'])
})

test('a delivery that was acknowledged while the disk was full is not repeated', async () => {
  let isFull = true
  const daemon = open(
    '',
    async () => DELIVERED,
    (outbox) => ({
      ...outbox,
      settle: (delivery, outcome) => {
        if (isFull)
          throw new StewardError('storage_failed', { path: 'x', reason: 'the disk is full' })
        return outbox.settle(delivery, outcome)
      },
    }),
  )
  daemon.pump.start()
  await daemon.say('once')
  await daemon.say('after it')
  await clock.advance(60_000)
  expect(sent).toEqual(['once'])
  expect(faults).toEqual(['could not write x: the disk is full'])
  isFull = false
  await clock.advance(60_000)
  expect(sent).toEqual(['once', 'after it'])
})

/** Its process is killed when the service has the request. */
const killed = () => new Promise<never>(() => undefined)

/** Simulates a process killed during a delivery; its lock is free. */
const leaveCutOff = async (message: string, channel: ChannelName = 'push') => {
  const outbox = openOutbox({
    path: join(folder, 'outbox.sqlite'),
    now: clock.now,
    random: () => 1,
  })
  await outbox.enqueue('n', [deliveryOf({ message, channel })])
  expect(outbox.claim(channel)).toMatchObject({ message, attempts: 1, attemptAt: clock.now() })
  await outbox.close()
}

test('unconfirmed deliveries are queried before sending, and not resent if they arrived', async () => {
  await leaveCutOff('cut off')
  const next = open('', undefined, undefined, () => ({ state: 'found', detail: 'it is there' }))
  await next.say('fresh')
  expect(await next.pump.flush()).toBe(true)
  expect(asked).toEqual(['push cut off'])
  expect(sent).toEqual(['fresh'])
  expect(next.outbox.list(2)).toMatchObject([
    { state: 'delivered', detail: 'HTTP 200' },
    { state: 'delivered', detail: 'it is there', attempts: 1, attemptAt: 0 },
  ])
})

test('a missing one counts as lost after enough time; meanwhile others are sent', async () => {
  await leaveCutOff('cut off')
  const next = open()
  await next.say('fresh')
  next.pump.start()
  await clock.advance(9000)
  expect(asked).toEqual(['push cut off'])
  expect(sent).toEqual(['fresh'])
  await clock.advance(2000)
  expect(asked).toHaveLength(2)
  expect(sent).toEqual(['fresh', 'cut off'])
  await clock.advance(60_000)
  expect(asked).toHaveLength(2)
  expect(next.outbox.list(2)[1]).toMatchObject({
    state: 'delivered',
    detail: 'HTTP 200',
    attempts: 2,
  })
})

test('a lost answer leaves the delivery unconfirmed: the channel is asked before it is sent again', async () => {
  const lost: SendOutcome = {
    state: 'failed',
    error: new StewardError('timeout', { subject: 'push', limitMs: 5000 }),
    isUncertain: true,
  }
  const found: AskOutcome = { state: 'found', detail: 'it is there' }
  const daemon = open(
    '',
    async () => lost,
    undefined,
    () => found,
  )
  daemon.pump.start()
  await daemon.say('x')
  await clock.advance(60_000)
  expect(sent).toEqual(['x'])
  expect(asked).toEqual(['push x'])
  expect(daemon.outbox.list(1)).toMatchObject([{ state: 'delivered', detail: 'it is there' }])
})

test('a process that hangs in a delivery does not query it', async () => {
  const daemon = open('', killed)
  daemon.pump.start()
  await daemon.say('x')
  await clock.advance(60_000)
  expect([sent, asked]).toEqual([['x'], []])
  opened.length = 0
  await daemon.outbox.close()
})
