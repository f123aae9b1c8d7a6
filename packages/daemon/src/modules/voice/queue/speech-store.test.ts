import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { PRIORITY, type Priority, type SpeechLine } from '../speech-line.ts'
import { openSpeechStore, type SpeechStore } from './speech-store.ts'

const createPath = () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-speech-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'speech.sqlite')
}
const open = (path = createPath(), capacity?: number): SpeechStore => {
  const store = openSpeechStore(path, capacity === undefined ? {} : { capacity })
  onTestFinished(() => store.close())
  return store
}

const lineOf = (id: string, priority: Priority = PRIORITY.normal, text = id): SpeechLine => ({
  id,
  text,
  manner: {},
  priority,
  atMs: 1,
  freshAtMs: 1,
})
const ids = (lines: readonly SpeechLine[]) => lines.map(({ id }) => id)

test('security first, then errors, then the others, each in the order they came', async () => {
  const store = open()
  const given: [string, Priority][] = [
    ['a', PRIORITY.normal],
    ['b', PRIORITY.error],
    ['c', PRIORITY.security],
    ['d', PRIORITY.normal],
    ['e', PRIORITY.error],
  ]
  await Promise.all(given.map(([id, priority]) => store.add(lineOf(id, priority))))
  expect(ids(store.waiting())).toEqual(['c', 'b', 'e', 'a', 'd'])
})

test('a duplicate is merged into the waiting line, which becomes fresher and takes the higher priority', async () => {
  const store = open()
  await store.add(lineOf('a', PRIORITY.normal, 'same'))
  await store.add(lineOf('b'))
  const again = await store.add({ ...lineOf('c', PRIORITY.error, 'same'), freshAtMs: 9 })
  expect(again).toEqual({ id: 'a', merged: true, dropped: [], depth: 2 })
  expect(store.peek()).toMatchObject({ id: 'a', priority: PRIORITY.error, atMs: 1, freshAtMs: 9 })
  const other = await store.add({ ...lineOf('d', PRIORITY.normal, 'same'), manner: { agent: 'x' } })
  expect(other.merged).toBe(false)
})

test('a line that is being spoken is not a waiting one', async () => {
  const store = open()
  await store.add(lineOf('a', PRIORITY.normal, 'same'))
  expect(await store.begin('a')).toBe(true)
  expect(await store.begin('a')).toBe(false)
  expect((await store.add(lineOf('b', PRIORITY.normal, 'same'))).merged).toBe(false)
})

test('when it is full the least important oldest makes room, the new one when it is that', async () => {
  const store = open(createPath(), 2)
  await store.add(lineOf('a'))
  await store.add(lineOf('b', PRIORITY.error))
  const third = await store.add(lineOf('c'))
  expect(third.dropped.map(({ line }) => line.id)).toEqual(['a'])
  await store.add(lineOf('d', PRIORITY.security))
  expect(ids(store.waiting())).toEqual(['d', 'b'])
  const last = await store.add(lineOf('e'))
  expect(last.dropped).toMatchObject([
    { line: { id: 'e' }, end: { outcome: 'skipped', reason: 'queue_full' } },
  ])
})

test('it is all there after it was opened again, private to its owner', async () => {
  const path = createPath()
  const before = openSpeechStore(path)
  await before.add(lineOf('a'))
  await before.add(lineOf('b'))
  await before.add(lineOf('c'))
  await before.begin('a')
  await before.begin('b')
  await before.end(['b'], { outcome: 'spoken', engine: 'system' }, 5)
  await before.setMutedUntilMs(77, 7)
  await before.close()
  const store = open(path)
  expect(ids(store.interrupted())).toEqual(['a'])
  expect(store.unreported()).toMatchObject([
    { line: { id: 'b' }, end: { outcome: 'spoken', engine: 'system' }, endedAtMs: 5 },
  ])
  expect(ids(store.waiting())).toEqual(['c'])
  expect(store.mutedUntilMs(7)).toBe(77)
  await store.forget(['b', 'c'])
  expect(store.unreported()).toEqual([])
  expect(store.depth()).toBe(1)
  expect(statSync(path).mode & 0o077).toBe(0)
})

type Step =
  | { do: 'add'; text: number; priority: Priority }
  | { do: 'speak' }
  | { do: 'finish' }
  | { do: 'reopen' }

const step = fc.oneof(
  fc.record({
    do: fc.constant('add' as const),
    text: fc.nat(4),
    priority: fc.constantFrom<Priority>(0, 1, 2),
  }),
  fc.record({ do: fc.constant('speak' as const) }),
  fc.record({ do: fc.constant('finish' as const) }),
  fc.record({ do: fc.constant('reopen' as const) }),
)

test('whatever happens, every line is spoken once, dropped with a word, or still there', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array<Step>(step, { maxLength: 40 }), async (steps) => {
      const folder = mkdtempSync(join(tmpdir(), 'steward-speech-'))
      const path = join(folder, 'speech.sqlite')
      let store = openSpeechStore(path, { capacity: 3 })
      const added = new Set<string>()
      const over: string[] = []
      let current: string | undefined
      let count = 0
      try {
        for (const each of steps) {
          if (each.do === 'add') {
            const id = `line-${count++}`
            const result = await store.add(lineOf(id, each.priority, `text ${each.text}`))
            if (!result.merged) added.add(id)
            else expect(ids(store.waiting())).toContain(result.id)
            over.push(...result.dropped.map(({ line }) => line.id))
            expect(store.depth()).toBeLessThanOrEqual(3)
          }
          if (each.do === 'speak' && current === undefined) {
            const next = store.peek()
            const least = Math.min(...store.waiting().map(({ priority }) => priority))
            if (next === undefined) continue
            expect(next.priority).toBe(least)
            expect(await store.begin(next.id)).toBe(true)
            current = next.id
          }
          if (each.do === 'finish' && current !== undefined) {
            const ended = await store.end([current], { outcome: 'spoken' }, 1)
            over.push(...ended.map(({ line }) => line.id))
            current = undefined
          }
          if (each.do === 'reopen') {
            await store.close()
            store = openSpeechStore(path, { capacity: 3 })
            expect(ids(store.interrupted())).toEqual(current === undefined ? [] : [current])
          }
        }
        const left = [...ids(store.waiting()), ...ids(store.interrupted())]
        expect([...over, ...left].toSorted()).toEqual([...added].toSorted())
        const texts = store.waiting().map(({ text }) => text)
        expect(new Set(texts).size).toBe(texts.length)
      } finally {
        await store.close()
        rmSync(folder, { recursive: true, force: true })
      }
    }),
    { numRuns: 30 },
  )
})

test('a mute ends when it was meant to, also when the clock is set back', async () => {
  const store = open(createPath())
  await store.setMutedUntilMs(10_000, 9000)
  expect(store.mutedUntilMs(9500)).toBe(10_000)
  expect(store.mutedUntilMs(2000)).toBe(3000)
  expect(store.mutedUntilMs(2500)).toBe(3000)
})
