import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { LocalChange } from '../hands/hands.ts'
import { startTestApi, type TestApi } from '../serve/testing/start-test-api.ts'
import { exchangeMemories } from './exchange-memories.ts'

let server: TestApi
let stores: TestApi['client']['beta']['memoryStores']
beforeAll(async () => {
  server = await startTestApi()
  stores = server.client.beta.memoryStores
})
afterAll(() => server.stop())

const sha = (text: string): string => createHash('sha256').update(text).digest('hex')
const makeStore = async (): Promise<string> => (await stores.create({ name: 'Notes' })).id
const exchange = (store: string, local: Record<string, string>, changes: LocalChange[]) =>
  server.database.write(() =>
    exchangeMemories(
      store,
      new Map(Object.entries(local).map(([path, text]) => [path, sha(text)])),
      changes,
      { actor: { type: 'session_actor', session_id: 'sesn_1' }, nowMs: server.clock.nowMs },
    ),
  )
const countVersions = async (store: string): Promise<number> =>
  (await stores.memoryVersions.list(store)).data.length

test('a repetition after a crash adds no version', async () => {
  const store = await makeStore()
  await stores.memories.create(store, { path: '/a', content: 'one' })
  await stores.memories.create(store, { path: '/b', content: 'gone' })
  const changes: LocalChange[] = [
    { path: '/a', content: 'two', base: sha('one') },
    { path: '/b', content: null, base: sha('gone') },
    { path: '/c', content: 'new', base: undefined },
  ]
  const none = { written: [], deleted: [], refused: [] }
  for (let attempt = 0; attempt < 3; attempt += 1) {
    expect(await exchange(store, { '/a': 'two', '/c': 'new' }, changes)).toEqual(none)
    expect(await countVersions(store)).toBe(5)
  }
})

test('what changed on both sides keeps the content of the store', async () => {
  const store = await makeStore()
  for (const path of ['/changed', '/deleted'])
    await stores.memories.create(store, { path, content: 'theirs' })
  const { written, refused } = await exchange(store, { '/changed': 'mine' }, [
    { path: '/changed', content: 'mine', base: sha('before') },
    { path: '/deleted', content: null, base: sha('before') },
  ])
  const theirs = { content: 'theirs', sha256: sha('theirs') }
  expect(written.toSorted((one, other) => (one.path < other.path ? -1 : 1))).toEqual([
    { path: '/changed', ...theirs },
    { path: '/deleted', ...theirs },
  ])
  expect(refused.map(({ path }) => path)).toEqual(['/changed', '/deleted'])
  expect(await countVersions(store)).toBe(2)
})

test('returns what the folder lacks, and saves a changed file whose memory was deleted', async () => {
  const store = await makeStore()
  await stores.memories.create(store, { path: '/a', content: 'one' })
  const { written, deleted } = await exchange(store, { '/old': 'x', '/kept': 'edited' }, [
    { path: '/kept', content: 'edited', base: sha('before') },
  ])
  expect(written).toEqual([{ path: '/a', content: 'one', sha256: sha('one') }])
  expect(deleted).toEqual(['/old'])
  expect(await countVersions(store)).toBe(2)
})

test('a refused change leaves the others', async () => {
  const store = await makeStore()
  await stores.memories.create(store, { path: '/a/b', content: 'one' })
  const { refused } = await exchange(store, { '/a/b': 'one', '/a': 'x', '/c': 'y' }, [
    { path: '/a', content: 'x', base: undefined },
    { path: '/c', content: 'y', base: undefined },
  ])
  expect(refused).toMatchObject([{ path: '/a', reason: expect.stringContaining('overlaps /a/b') }])
  expect(await countVersions(store)).toBe(2)
})
