import { DatabaseSync } from 'node:sqlite'
import { type JsonObject, StewardError, toStewardError } from '@steward/contract'
import {
  chooseItems,
  createItemLedger,
  FLOW_DELIVERIES_TABLES,
  FLOW_ITEMS_TABLE,
  type ItemLedger,
  type WorkPorts,
  workDigests,
  workItems,
} from '@steward/engine'
import { expect, it } from 'vitest'

class Killed extends Error {}

const ITEMS = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, title: id, payload: { id } }))
const KEYS = ['mail', 'chat']

/** A machine whose process is killed before one of its next statements or calls. */
const createMachine = () => {
  const database = new DatabaseSync(':memory:')
  database.exec(`${FLOW_ITEMS_TABLE}${FLOW_DELIVERIES_TABLES}`)
  let left = Number.POSITIVE_INFINITY
  const act = () => {
    if (left-- <= 0) throw new Killed()
  }
  /** What each destination received, by place: the keys of deliveries and their texts. */
  const received = KEYS.map(() => [] as { key: string; text: string }[])
  const processed: string[] = []
  let refuses: (place: number) => boolean = () => false
  let atMs = 0
  let runs = 0
  const ledger: ItemLedger = createItemLedger('flow', {
    query: async (sql, values) => {
      act()
      return database.prepare(sql).all(...values)
    },
    encode: JSON.stringify,
    mask: (text) => text,
  })
  const portsOf = (runId: string): WorkPorts => ({
    ledger,
    runId,
    now: () => atMs,
    random: () => 0.5,
    concurrency: 2,
    destinations: KEYS,
    giveUpAfterMs: 1e12,
    isScheduled: false,
    obstacle: () => undefined,
    onStart: async () => undefined,
    process: async ({ id, payload }) => {
      act()
      processed.push(id)
      return { ...payload, rating: id.charCodeAt(0), summary: `about ${id}` }
    },
    deliver: async ({ id }, output: JsonObject, place) => {
      act()
      if (refuses(place))
        throw new StewardError('upstream_failed', { service: 's', reason: 'down' })
      received[place]?.push({ key: id, text: JSON.stringify(output) })
    },
    onEnd: async () => undefined,
    toFailure: (thrown) => {
      if (thrown instanceof Killed) throw thrown
      return toStewardError(thrown)
    },
  })
  const run = async (collects: boolean): Promise<void> => {
    const runId = `run-${++runs}`
    atMs += 3_600_000
    const clock = { runId, atMs }
    const { chosen, entries } = await chooseItems(ITEMS, ledger, 100, clock, { collects })
    const ports = portsOf(runId)
    await workItems(chosen.items, entries, { ...ports, collects })
    if (!collects) return
    await workDigests(
      {
        name: 'F_DIGEST',
        digest: { order: 'rating desc', maxItems: 3 },
        schedule: { enabled: true, intervalMinutes: 60 },
      },
      {
        ledger,
        run: () => clock,
        zone: 'UTC',
        deliver: (digests, stored) => workItems(digests, stored, ports),
      },
    )
  }
  return {
    received,
    processed,
    ledger,
    refuse: (rule: typeof refuses) => {
      refuses = rule
    },
    /** True if the process was killed. */
    run: async (collects: boolean, actions = Number.POSITIVE_INFINITY): Promise<boolean> => {
      left = actions
      try {
        await run(collects)
        return false
      } catch (thrown) {
        if (!(thrown instanceof Killed)) throw thrown
        return true
      } finally {
        left = Number.POSITIVE_INFINITY
      }
    },
    states: () =>
      database.prepare('SELECT item, state FROM flow_items ORDER BY seq').all() as {
        item: string
        state: string
      }[],
    rows: (table: string) => database.prepare(`SELECT * FROM ${table}`).all(),
  }
}

it('delivers every item to each destination, whatever the moment of a kill', async () => {
  let kills = 0
  for (let moment = 0; ; moment++) {
    const machine = createMachine()
    const isKilled = await machine.run(false, moment)
    if (!isKilled) break
    kills++
    await machine.run(false)
    for (const list of machine.received) {
      expect([...new Set(list.map(({ key }) => key))].toSorted()).toEqual(ITEMS.map(({ id }) => id))
      // Only a delivery that was not recorded any more is repeated, with the same key.
      expect(list.length).toBeLessThanOrEqual(ITEMS.length + 1)
    }
    expect(new Set(machine.states().map(({ state }) => state))).toEqual(new Set(['delivered']))
  }
  expect(kills).toBeGreaterThan(20)
})

it('sends every item in one digest, with one text, whatever the moment of a kill', async () => {
  let kills = 0
  for (let moment = 0; ; moment++) {
    const machine = createMachine()
    const isKilled = await machine.run(true, moment)
    for (let run = 0; run < 3; run++) await machine.run(true)
    for (const list of machine.received) {
      const texts = new Map(list.map(({ key, text }) => [key, text]))
      for (const { key, text } of list) expect(text).toBe(texts.get(key))
      const sent = [...texts.values()].flatMap((text) => {
        const { items, count } = JSON.parse(text)
        expect(items).toHaveLength(count)
        return items.map(({ id }: { id: string }) => id)
      })
      // Nothing is lost, and nothing is in two digests.
      expect(sent.toSorted()).toEqual(ITEMS.map(({ id }) => id))
      expect(list.length).toBeLessThanOrEqual(texts.size + 1)
    }
    expect(new Set(machine.states().map(({ state }) => state))).toEqual(new Set(['delivered']))
    expect(machine.rows('flow_digests')).toEqual([])
    if (!isKilled) break
    kills++
  }
  expect(kills).toBeGreaterThan(15)
})

it('tries a destination that is down again without repeating the others', async () => {
  const machine = createMachine()
  machine.refuse((place) => place === 1)
  for (let run = 0; run < 3; run++) await machine.run(false)
  expect(machine.received.map((list) => list.length)).toEqual([5, 0])
  expect(new Set(machine.states().map(({ state }) => state))).toEqual(new Set(['waiting']))
  machine.refuse(() => false)
  await machine.run(false)
  expect(machine.received.map((list) => list.map(({ key }) => key))).toEqual([
    ['a', 'b', 'c', 'd', 'e'],
    ['a', 'b', 'c', 'd', 'e'],
  ])
  expect(machine.processed.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e'])
})

it('keeps new items for the next digest while one waits, and retries it by one of its items', async () => {
  const machine = createMachine()
  machine.refuse(() => true)
  await machine.run(true)
  await machine.run(true)
  expect(machine.states()).toEqual([
    { item: 'a', state: 'processed' },
    { item: 'b', state: 'processed' },
    { item: 'c', state: 'waiting' },
    { item: 'd', state: 'waiting' },
    { item: 'e', state: 'waiting' },
    { item: 'steward:digest:run-1', state: 'waiting' },
  ])
  expect(await machine.ledger.reopen({ items: ['d'] })).toEqual([
    'c',
    'd',
    'e',
    'steward:digest:run-1',
  ])
  machine.refuse(() => false)
  await machine.run(true)
  const [mail = []] = machine.received
  expect(mail.map(({ text }) => JSON.parse(text).title)).toEqual([
    '3 new items of F_DIGEST',
    '2 new items of F_DIGEST',
  ])
  expect(machine.processed).toHaveLength(5)
})
