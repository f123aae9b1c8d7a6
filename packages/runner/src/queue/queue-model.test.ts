import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { openDatabase } from '../../../platform/src/database/database.ts'
import { createQueue, type Queue, type ReceivedMessage } from './queue.ts'
import { QUEUE_MIGRATIONS } from './schema.ts'

const MAX_RETRIES = 2
const VISIBILITY_MS = 10_000
const directory = mkdtempSync(join(tmpdir(), 'steward-queue-'))
const database = openDatabase(join(directory, 'queues.sqlite'), { migrations: QUEUE_MIGRATIONS })
let queues = 0

afterAll(async () => {
  await database.close()
  rmSync(directory, { recursive: true, force: true })
})

/** Invariants of each message. */
interface Expected {
  deliveries: number
  /** `exhausted`: its last lease expired; a later receive moves it to the dead letters. */
  state: 'queued' | 'leased' | 'acked' | 'exhausted' | 'dead'
  dueAt: number
}

interface Real {
  queue: Queue
  dead: Queue
  held: Map<number, ReceivedMessage[]>
}

interface Model {
  messages: Map<number, Expected>
  nowMs: number
}

type Command = fc.AsyncCommand<Model, Real>

const clock = { nowMs: 0 }

/** An expired lease counts as a failed delivery. */
const isDue = ({ state, deliveries, dueAt }: Expected, nowMs: number): boolean =>
  dueAt <= nowMs && (state === 'queued' || (state === 'leased' && deliveries <= MAX_RETRIES))

const recordExhausted = (model: Model): void => {
  for (const message of model.messages.values()) {
    const isOver = message.deliveries > MAX_RETRIES && message.dueAt <= model.nowMs
    if (message.state === 'leased' && isOver) message.state = 'exhausted'
  }
}

class Send implements Command {
  readonly count: number
  readonly delaySeconds: number
  constructor(count: number, delaySeconds: number) {
    this.count = count
    this.delaySeconds = delaySeconds
  }
  check = () => true
  async run(model: Model, { queue }: Real): Promise<void> {
    const bodies = Array.from({ length: this.count }, (_, index) => model.messages.size + index)
    await queue.sendBatch(
      bodies.map((body) => ({ body })),
      { delaySeconds: this.delaySeconds },
    )
    const dueAt = model.nowMs + this.delaySeconds * 1000
    for (const body of bodies) model.messages.set(body, { deliveries: 0, state: 'queued', dueAt })
  }
  toString = () => `send(${this.count}, ${this.delaySeconds} s)`
}

class Receive implements Command {
  readonly max: number
  constructor(max: number) {
    this.max = max
  }
  check = () => true
  async run(model: Model, { queue, held }: Real): Promise<void> {
    recordExhausted(model)
    const due = [...model.messages.values()].filter((message) => isDue(message, model.nowMs))
    const received = await queue.receive(this.max)
    expect(received).toHaveLength(Math.min(this.max, due.length))
    for (const message of received) {
      const body = Number(message.body)
      const expected = model.messages.get(body)
      if (expected === undefined) throw new Error(`message ${body} was never sent`)
      expect(isDue(expected, model.nowMs)).toBe(true)
      expected.state = 'leased'
      expected.deliveries++
      expected.dueAt = model.nowMs + VISIBILITY_MS
      expect(message.attempts).toBe(expected.deliveries)
      held.set(body, [...(held.get(body) ?? []), message])
    }
  }
  toString = () => `receive(${this.max})`
}

/** Settles some delivery of some message, often an outdated one. */
class Settle implements Command {
  readonly pick: number
  readonly way: 'ack' | 'retry'
  constructor(pick: number, way: 'ack' | 'retry') {
    this.pick = pick
    this.way = way
  }
  check = () => true
  async run(model: Model, { held }: Real): Promise<void> {
    const deliveries = [...held.entries()].flatMap(([body, messages]) =>
      messages.map((message) => ({ body, message })),
    )
    const chosen = deliveries[this.pick % Math.max(1, deliveries.length)]
    if (chosen === undefined) return
    const expected = model.messages.get(chosen.body)
    if (expected === undefined) throw new Error('a delivery without a message')
    const isNewest = chosen.message.attempts === expected.deliveries
    if (expected.state === 'exhausted' && isNewest) return this.settleLate(expected, chosen.message)
    // Until the message is delivered again, even a late receiver may settle it.
    const isCurrent = expected.state === 'leased' && isNewest
    if (this.way === 'ack') {
      expect(await chosen.message.ack()).toBe(isCurrent)
      if (isCurrent) expected.state = 'acked'
      return
    }
    const isLast = expected.deliveries > MAX_RETRIES
    const outcome = isLast ? 'dead-lettered' : 'requeued'
    expect(await chosen.message.retry()).toBe(isCurrent ? outcome : 'not-leased')
    if (!isCurrent) return
    expected.state = isLast ? 'dead' : 'queued'
    expected.dueAt = model.nowMs
  }
  /** Whether it is already a dead letter depends on how much the last receive took. */
  private async settleLate(expected: Expected, message: ReceivedMessage): Promise<void> {
    if (this.way === 'ack') {
      if (await message.ack()) expected.state = 'acked'
      return
    }
    expect(['dead-lettered', 'not-leased']).toContain(await message.retry())
    expected.state = 'dead'
  }
  toString = () => `${this.way}(${this.pick})`
}

class Wait implements Command {
  readonly seconds: number
  constructor(seconds: number) {
    this.seconds = seconds
  }
  check = () => true
  async run(model: Model): Promise<void> {
    model.nowMs += this.seconds * 1000
    clock.nowMs = model.nowMs
  }
  toString = () => `wait(${this.seconds} s)`
}

const commands = fc.commands(
  [
    fc
      .tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 0, max: 5 }))
      .map(([count, delaySeconds]) => new Send(count, delaySeconds)),
    fc.integer({ min: 1, max: 5 }).map((max) => new Receive(max)),
    fc
      .tuple(fc.nat(50), fc.constantFrom('ack' as const, 'retry' as const))
      .map(([pick, way]) => new Settle(pick, way)),
    fc.constantFrom(1, 4, 10, 11).map((seconds) => new Wait(seconds)),
  ],
  { maxCommands: 40 },
)

test('no message is lost, and none returns after it was acknowledged', async () => {
  await fc.assert(
    fc.asyncProperty(commands, async (sequence) => {
      clock.nowMs = 1000
      const name = `model-${++queues}`
      const now = () => clock.nowMs
      const real: Real = {
        queue: createQueue(database, name, {
          now,
          maxRetries: MAX_RETRIES,
          deadLetterQueue: `${name}-dead`,
          visibilityMs: VISIBILITY_MS,
        }),
        dead: createQueue(database, `${name}-dead`, { now }),
        held: new Map(),
      }
      const model: Model = { messages: new Map(), nowMs: clock.nowMs }
      await fc.asyncModelRun(() => ({ model, real }), sequence)

      const left = [...model.messages.values()].filter(({ state }) => state !== 'acked')
      const { ready, delayed, leased, dead } = real.queue.inspect()
      expect(ready + delayed + leased + dead).toBe(left.length)
    }),
    { numRuns: 300 },
  )
})
