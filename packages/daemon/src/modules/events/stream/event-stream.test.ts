import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, renameSync, rmSync } from 'node:fs'
import { API, type EventSource, type StewardEvent } from '@steward/contract'
import { eventLogPath, type Home, rotateLog } from '@steward/platform'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { callHandler, createHome, openEvents, openStream } from '../testing/open-events.ts'
import { formatCursor, moveCursor, parseCursor, START_CURSOR } from './cursor.ts'

const row = (number: number) => ({
  timestamp: new Date(1_770_000_000_000 + number).toISOString(),
  session_id: 's',
  number,
})
const append = (home: Home, source: EventSource, ...numbers: number[]): void => {
  const lines = numbers.map((number) => `${JSON.stringify(row(number))}\n`)
  appendFileSync(eventLogPath(home, source), lines.join(''))
}
const pushed = (number: number): StewardEvent => ({
  ...row(number),
  source: 'voice',
  type: 'voice_start',
})
const numbersIn = (seen: ReadonlyArray<{ event: string | undefined; data: object }>): unknown[] =>
  seen.flatMap(({ event, data }) => (event === undefined ? [Reflect.get(data, 'number')] : []))
const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index)

describe('the event stream', () => {
  it('opens with ready, then sends each event once and in order', async () => {
    const { module, home } = await openEvents()
    append(home, 'tool-activity', 0)
    await expect.poll(() => Reflect.get(module.health(), 'lastEventsAt')).not.toBeNull()
    const client = openStream(module, API.streamEvents)
    await expect.poll(() => client.seen.length).toBe(1)
    expect(client.seen[0]).toMatchObject({ event: 'ready', id: expect.any(String) })
    append(home, 'tool-activity', ...range(1, 50))
    await expect.poll(() => client.seen.length).toBe(50)
    expect(numbersIn(client.seen)).toEqual(range(1, 50))
    expect(client.seen[1]?.data).toMatchObject({ source: 'tool-activity', type: 'tool_use' })
    await client.leave()
    await expect.poll(() => module.health().streams).toBe(0)
  })

  it('resumes after each id, in another daemon and across rotation', async () => {
    const home = createHome()
    const first = await openEvents({ home })
    const path = eventLogPath(home, 'tool-activity')
    const client = openStream(first.module, API.streamEvents)
    append(home, 'tool-activity', ...range(0, 10))
    await expect.poll(() => client.seen.length).toBe(11)
    rotateLog(path, { maxBytes: 1 })
    append(home, 'tool-activity', ...range(10, 20))
    await expect.poll(() => client.seen.length).toBe(21)
    await first.stop()

    append(home, 'tool-activity', ...range(20, 30))
    rotateLog(path, { maxBytes: 1 })
    append(home, 'tool-activity', ...range(30, 35))
    const second = await openEvents({ home })
    for (const [index, { id }] of client.seen.entries()) {
      const again = openStream(second.module, API.streamEvents, { lastEventId: id })
      await expect.poll(() => again.seen.length).toBe(35 - index)
      expect(numbersIn(again.seen)).toEqual(range(index, 35))
    }
    const last = openStream(second.module, API.streamEvents, { lastEventId: client.seen[20]?.id })
    await expect.poll(() => last.seen.length).toBe(15)
    append(home, 'tool-activity', 35)
    await expect.poll(() => numbersIn(last.seen)).toEqual(range(20, 36))
    const after = client.seen[5]?.id
    const page = openStream(second.module, API.streamEvents, { after })
    await expect.poll(() => numbersIn(page.seen)).toEqual(range(5, 36))
    const lastEventId = client.seen[20]?.id
    const back = openStream(second.module, API.streamEvents, { after, lastEventId })
    await expect.poll(() => numbersIn(back.seen)).toEqual(range(20, 36))
  })

  it('also replays pushed events', async () => {
    const home = createHome()
    const first = await openEvents({ home })
    const client = openStream(first.module, API.streamEvents)
    const push = (module: typeof first.module, ...numbers: number[]) =>
      callHandler(module, API.pushObservabilityEvents, numbers.map(pushed).reverse())
    await push(first.module, 1, 2)
    append(home, 'voice', 100)
    await expect.poll(() => client.seen.length).toBe(4)
    await push(first.module, 3)
    await first.stop()
    const second = await openEvents({ home })
    await push(second.module, 4)
    const again = openStream(second.module, API.streamEvents, { lastEventId: client.seen[1]?.id })
    await expect.poll(() => again.seen.length).toBe(4)
    expect(new Set(numbersIn(again.seen))).toEqual(new Set([2, 3, 4, 100]))
  })

  it.each([
    ['no id of ours', 'rubbish'],
    ['an id whose log is gone', '1;999.abc:10;start;start;start;0'],
    ['an id from the future', '1;start;start;start;start;77'],
  ])('says resync to %s and goes on live', async (_, id) => {
    const { module, home, arrived } = await openEvents()
    append(home, 'tool-activity', 1)
    await expect.poll(() => arrived.length).toBe(1)
    const client = openStream(module, API.streamEvents, { lastEventId: id })
    await expect.poll(() => client.seen.length).toBe(1)
    expect(client.seen[0]?.event).toBe('resync')
    append(home, 'tool-activity', 2)
    await expect.poll(() => numbersIn(client.seen)).toEqual([2])
  })

  it('sends resync if a rotated log was removed before it was read', async () => {
    const home = createHome()
    const first = await openEvents({ home })
    const client = openStream(first.module, API.streamEvents)
    append(home, 'tool-activity', 1)
    await expect.poll(() => client.seen.length).toBe(2)
    await first.stop()
    const path = eventLogPath(home, 'tool-activity')
    append(home, 'tool-activity', 2)
    renameSync(path, `${path}.1`)
    append(home, 'tool-activity', 3)
    rmSync(`${path}.1`)
    const second = await openEvents({ home })
    const again = openStream(second.module, API.streamEvents, { lastEventId: client.seen[1]?.id })
    await expect.poll(() => again.seen.map(({ event }) => event)).toEqual(['resync'])
  })

  it('loses and duplicates nothing while processes append, logs rotate and clients reconnect', async () => {
    const home = createHome()
    const { module } = await openEvents({ home })
    const path = eventLogPath(home, 'tool-activity')
    const [writers, rows] = [4, 400]
    const watcher = openStream(module, API.streamEvents)
    const code = `
      import { appendFileSync } from 'node:fs'
      const [path, writer, rows] = [${JSON.stringify(path)}, Number(process.argv[1]), ${rows}]
      for (let n = 0; n < rows; n++) {
        const row = { timestamp: new Date().toISOString(), session_id: 'w' + writer, writer, n }
        appendFileSync(path, JSON.stringify(row) + '\\n')
        if (n % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 1))
      }`
    const children = range(0, writers).map((writer) =>
      spawn(process.execPath, ['--input-type=module', '-e', code, String(writer)], {
        stdio: ['ignore', 'ignore', 'inherit'],
      }),
    )
    const ended = Promise.all(children.map((child) => once(child, 'exit')))
    await expect.poll(() => watcher.seen.length).toBeGreaterThan(1)
    // A client that repeatedly disconnects and reconnects with its last id.
    const collected = [...watcher.seen.slice(1, 2)]
    for (let round = 0; collected.length < writers * rows; round++) {
      const visit = openStream(module, API.streamEvents, { lastEventId: collected.at(-1)?.id })
      const missing = writers * rows - collected.length
      await expect.poll(() => visit.seen.length).toBeGreaterThan(Math.min(missing - 1, 20))
      await visit.leave()
      collected.push(...visit.seen)
      if (round % 2 === 0) rotateLog(path, { maxBytes: 1, files: 500 })
    }
    expect((await ended).map(([status]) => status)).toEqual(range(0, writers).map(() => 0))
    await expect.poll(() => watcher.seen.length).toBe(writers * rows + 1)
    for (const seen of [watcher.seen.slice(1), collected]) {
      expect(seen.map(({ event }) => event).filter(Boolean)).toEqual([])
      for (const writer of range(0, writers)) {
        const own = seen.filter(({ data }) => data.writer === writer)
        expect(own.map(({ data }) => data.n).toSorted(byNumber)).toEqual(range(0, rows))
      }
    }
  }, 120_000)
})

const byNumber = (a: unknown, b: unknown): number => Number(a) - Number(b)

describe('a cursor', () => {
  it('comes back as it was', () => {
    const position = fc.stringMatching(/^[0-9a-z.:,]{1,60}$/)
    fc.assert(
      fc.property(position, position, fc.nat(), (activity, voice, count) => {
        const cursor = {
          ...moveCursor(moveCursor(START_CURSOR, 'tool-activity', activity), 'voice', voice),
          pushed: count,
        }
        expect(parseCursor(formatCursor(cursor))).toEqual(cursor)
      }),
    )
  })

  it('rejects ids that no client sends', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseCursor(text)).toBeUndefined()
      }),
    )
  })
})
