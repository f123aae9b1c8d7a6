import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRedactor } from '@steward/platform'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openHistory, type StoredHistory } from './open-history.ts'
import { newRunId } from './run-id.ts'
import { sampleAdvance, sampleRun, T0 } from './testing/samples.ts'

const DAY_MS = 86_400_000
const KEEP_ALL = { maxRuns: 1e9, maxAgeDays: 36_500, maxBytes: 1e15 }
let directory = ''
let history: StoredHistory

const open = () => openHistory({ directory, redactor: createRedactor({}) })

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'steward-prune-'))
  history = open()
})

afterEach(async () => {
  await history.close()
  rmSync(directory, { recursive: true, force: true })
})

const begin = async (changes: Parameters<typeof sampleRun>[0] = {}) => {
  const id = newRunId(changes.startedAt ?? T0)
  await history.begin(sampleRun({ id, ...changes }))
  return id
}
const finish = (id: string) => history.advance(sampleAdvance(id, 0, { done: true }, 'end'))
const complete = async (changes: Parameters<typeof sampleRun>[0] = {}) => {
  const id = await begin(changes)
  await finish(id)
  return id
}
const remaining = () => history.list({ limit: 1000 }).map(({ id }) => id)

test('removes nothing while the policy holds', async () => {
  const id = await complete()
  expect(await history.prune(KEEP_ALL, T0)).toMatchObject({ runs: 0, payloadFiles: 0 })
  expect(remaining()).toEqual([id])
})

test('removes the oldest when there are too many', async () => {
  const ids: string[] = []
  for (let number = 0; number < 5; number++) ids.unshift(await complete())
  expect(await history.prune({ ...KEEP_ALL, maxRuns: 2 }, T0)).toMatchObject({ runs: 3 })
  expect(remaining()).toEqual(ids.slice(0, 2))
})

test('removes runs above the maximum age, in chunks', async () => {
  await Promise.all(Array.from({ length: 450 }, () => complete({ startedAt: T0 })))
  const young = await complete({ startedAt: T0 + 3 * DAY_MS })
  const pruned = await history.prune({ ...KEEP_ALL, maxAgeDays: 2 }, T0 + 4 * DAY_MS)
  expect(pruned.runs).toBe(450)
  expect(remaining()).toEqual([young])
})

test('removes runs until the size fits, and returns the space to the disk', async () => {
  const content = 'words '.repeat(8000)
  const ids: string[] = []
  for (let number = 0; number < 60; number++)
    ids.unshift(await complete({ input: { content, number } }))
  await history.prune(KEEP_ALL, T0)
  const file = join(directory, 'history.sqlite')
  const before = statSync(file).size
  const pruned = await history.prune({ ...KEEP_ALL, maxBytes: before / 2 }, T0)
  expect(pruned.runs).toBeGreaterThanOrEqual(30)
  expect(remaining()).toEqual(ids.slice(0, 60 - pruned.runs))
  expect(statSync(file).size).toBeLessThanOrEqual(before / 2)
  expect(statSync(`${file}-wal`).size).toBe(0)
  expect(pruned.bytes).toBe(before - statSync(file).size)
})

test('keeps a running or interrupted run and its parents', async () => {
  const interrupted = await begin()
  await history.close()
  history = open()
  const running = await begin()
  const parent = await begin({ primitive: 'flow', name: 'F_FEEDS_DIGEST' })
  const child = await begin({ parentId: parent })
  await finish(parent)
  expect((await history.prune({ maxRuns: 1, maxAgeDays: 1, maxBytes: 1 }, T0 * 2)).runs).toBe(0)
  expect(remaining()).toEqual([child, parent, running, interrupted])
  await finish(child)
  expect((await history.prune({ ...KEEP_ALL, maxRuns: 1 }, T0)).runs).toBe(2)
  expect(remaining()).toEqual([running, interrupted])
})

test('children are removed with their parent, however many', async () => {
  const parent = await begin({ primitive: 'flow', name: 'F_FEEDS_DIGEST' })
  await Promise.all(Array.from({ length: 250 }, () => complete({ parentId: parent })))
  await finish(parent)
  const later = await complete()
  expect((await history.prune({ ...KEEP_ALL, maxRuns: 250 }, T0)).runs).toBeGreaterThanOrEqual(200)
  expect((await history.prune({ ...KEEP_ALL, maxRuns: 1 }, T0)).runs).toBeGreaterThan(0)
  expect(remaining()).toEqual([later])
})

test('unused definitions are removed too', async () => {
  const definition = { version: '2.0.0', hash: 'second', body: { actions: [] } }
  await complete()
  const kept = await complete({ definition })
  await history.prune({ ...KEEP_ALL, maxRuns: 1 }, T0)
  expect(history.resumable(kept)?.definition).toEqual(definition)
})

test('a file that was written but never committed is removed', async () => {
  const stray = 'ab'.repeat(32)
  mkdirSync(join(directory, 'payloads', 'ab'), { recursive: true })
  writeFileSync(join(directory, 'payloads', 'ab', stray), '{}')
  expect((await history.prune(KEEP_ALL, T0)).payloadFiles).toBe(1)
  expect(readdirSync(join(directory, 'payloads', 'ab'))).toEqual([])
})
