import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChannelName } from '@steward/contract'
import { StewardError } from '@steward/contract'
import { afterEach, beforeEach, expect, test } from 'vitest'
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
let faults: string[] = []
const opened: { outbox: Outbox; pump: Pump }[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-pump-'))
  clock = createVirtualClock()
  sent = []
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

/** One process of several that use the same outbox. */
const open = (
  name = '',
  answer: Send = async () => DELIVERED,
  wrap = (outbox: Outbox) => outbox,
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
    onSettled: () => undefined,
    onFault: (message) => faults.push(message),
  })
  opened.push({ outbox, pump })
  const say = (message: string, channel: ChannelName = 'push') =>
    outbox.enqueue('n', [deliveryOf({ message, channel })])
  return { outbox, pump, say }
}

test('delivers what comes, what another process brings within a second, and stops', async () => {
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

test('of two processes one pumps; when it is gone the other takes over', async () => {
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

test('a flush delivers what may go now and lets others pump', async () => {
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

test('a stop waits for what is under way, and that is written down', async () => {
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

test('an outage: tried with growing pauses, then all of it goes out once', async () => {
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
