import { createHash } from 'node:crypto'
import { BadRequestError, ConflictError, NotFoundError } from '@anthropic-ai/sdk'
import { HOSTED_LIMITS } from '@steward/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../serve/testing/start-test-api.ts'

let server: TestApi
let stores: TestApi['client']['beta']['memoryStores']
beforeAll(async () => {
  server = await startTestApi()
  stores = server.client.beta.memoryStores
})
afterAll(async () => {
  expect(server.failures).toEqual([])
  await server.stop()
})

const sha = (text: string): string => createHash('sha256').update(text).digest('hex')
const makeStore = async (): Promise<string> => (await stores.create({ name: 'Notes' })).id
const write = (store: string, path: string, content: string) =>
  stores.memories.create(store, { path, content })
const versionsOf = async (store: string, memory_id: string) => {
  const { data } = await stores.memoryVersions.list(store, { memory_id, view: 'full' })
  return data.map(({ operation, content, path }) => ({ operation, content, path }))
}

test('a store is named, described, archived and deleted', async () => {
  const store = await stores.create({ name: 'Ada', metadata: { user: 'ada' } })
  expect(store).toMatchObject({ description: '', archived_at: null })
  const updated = await stores.update(store.id, { description: 'Likes tea.', metadata: { b: 'c' } })
  expect(updated).toMatchObject({
    name: 'Ada',
    description: 'Likes tea.',
    metadata: { user: 'ada', b: 'c' },
  })
  const memory = await write(store.id, '/a.md', 'one')
  await stores.archive(store.id)
  const open: string[] = []
  for await (const { id } of stores.list({ limit: 1 })) open.push(id)
  expect(open).not.toContain(store.id)
  const all = await stores.list({ include_archived: true })
  expect(all.data.map(({ id }) => id)).toContain(store.id)
  // An archived store is read and emptied, but not written.
  const memory_store_id = store.id
  await expect(write(store.id, '/b.md', 'two')).rejects.toBeInstanceOf(ConflictError)
  await expect(
    stores.memories.update(memory.id, { memory_store_id, content: 'x' }),
  ).rejects.toBeInstanceOf(ConflictError)
  await expect(stores.update(store.id, { name: 'B' })).rejects.toBeInstanceOf(ConflictError)
  expect((await stores.memories.retrieve(memory.id, { memory_store_id })).content).toBe('one')
  await stores.memories.delete(memory.id, { memory_store_id })
  expect(await stores.delete(store.id)).toMatchObject({ type: 'memory_store_deleted' })
  await expect(stores.retrieve(store.id)).rejects.toBeInstanceOf(NotFoundError)
  await expect(stores.memoryVersions.list(store.id)).rejects.toBeInstanceOf(NotFoundError)
})

test('every change of a memory adds one version, and an update without changes none', async () => {
  const memory_store_id = await makeStore()
  const { memories } = stores
  const made = await write(memory_store_id, '/notes/tea.md', 'grün')
  expect(made).toMatchObject({
    content: null,
    content_sha256: sha('grün'),
    content_size_bytes: 5,
    path: '/notes/tea.md',
  })
  const { id } = made
  expect((await memories.retrieve(id, { memory_store_id })).content).toBe('grün')
  const changed = await memories.update(id, { memory_store_id, content: 'black', view: 'full' })
  expect(changed.content).toBe('black')
  const same = await memories.update(id, { memory_store_id, content: 'black' })
  expect(same.memory_version_id).toBe(changed.memory_version_id)
  await memories.update(id, { memory_store_id, path: '/tea.md' })
  await memories.delete(id, { memory_store_id })
  await expect(memories.retrieve(id, { memory_store_id })).rejects.toBeInstanceOf(NotFoundError)
  expect(await versionsOf(memory_store_id, id)).toEqual([
    { operation: 'deleted', content: null, path: '/tea.md' },
    { operation: 'modified', content: 'black', path: '/tea.md' },
    { operation: 'modified', content: 'black', path: '/notes/tea.md' },
    { operation: 'created', content: 'grün', path: '/notes/tea.md' },
  ])
  const basic = await stores.memoryVersions.list(memory_store_id, { operation: 'created' })
  expect(basic.data).toMatchObject([{ content: null, content_sha256: sha('grün') }])
  expect(basic.data[0]?.created_by).toMatchObject({ type: 'api_actor' })
})

test('a precondition guards against lost changes', async () => {
  const memory_store_id = await makeStore()
  const { id } = await write(memory_store_id, '/a', 'one')
  const change = (content: string, from: string) =>
    stores.memories.update(id, {
      memory_store_id,
      content,
      precondition: { type: 'content_sha256', content_sha256: sha(from) },
    })
  await change('two', 'one')
  await expect(change('three', 'one')).rejects.toMatchObject({
    status: 409,
    error: { error: { type: 'memory_precondition_failed_error' } },
  })
  // It already has the wanted content, as after a retry.
  expect((await change('two', 'one')).content_sha256).toBe(sha('two'))
  const expected = (text: string) => ({ memory_store_id, expected_content_sha256: sha(text) })
  await expect(stores.memories.delete(id, expected('one'))).rejects.toBeInstanceOf(ConflictError)
  expect(await stores.memories.delete(id, expected('two'))).toMatchObject({ id })
  expect(await versionsOf(memory_store_id, id)).toHaveLength(3)
})

test('paths do not overlap, also after renaming', async () => {
  const memory_store_id = await makeStore()
  const first = await write(memory_store_id, '/a/b', 'x')
  const conflict = (path: string) => ({
    status: 409,
    error: {
      error: {
        type: 'memory_path_conflict_error',
        conflicting_memory_id: first.id,
        conflicting_path: path,
      },
    },
  })
  for (const path of ['/a/b', '/a', '/a/b/c', '/a/b/c/d'])
    await expect(write(memory_store_id, path, 'y')).rejects.toMatchObject(conflict('/a/b'))
  const second = await write(memory_store_id, '/a/bc', 'y')
  await expect(
    stores.memories.update(second.id, { memory_store_id, path: '/a/b/c' }),
  ).rejects.toMatchObject(conflict('/a/b'))
  const moved = await stores.memories.update(first.id, { memory_store_id, path: '/a/b/c' })
  expect(moved.path).toBe('/a/b/c')
})

test('lists a store by path, by folder and by level', async () => {
  const store = await makeStore()
  for (const path of ['/z', '/notes/b', '/notes/a', '/notes-old/a', '/notes/deep/er/x'])
    await write(store, path, path)
  const list = async (query: Parameters<typeof stores.memories.list>[1]) => {
    const paths: string[] = []
    for await (const item of stores.memories.list(store, { limit: 2, ...query }))
      paths.push(item.path)
    return paths
  }
  expect(await list({})).toEqual(['/notes-old/a', '/notes/a', '/notes/b', '/notes/deep/er/x', '/z'])
  expect(await list({ depth: 1 })).toEqual(['/notes-old/', '/notes/', '/z'])
  expect(await list({ path_prefix: '/notes/', depth: 1 })).toEqual([
    '/notes/a',
    '/notes/b',
    '/notes/deep/',
  ])
  const full = await stores.memories.list(store, { view: 'full', path_prefix: '/notes/', limit: 1 })
  expect(full.data).toMatchObject([{ type: 'memory', content: '/notes/a' }])
  await expect(stores.memories.list(store, { path_prefix: 'notes' })).rejects.toBeInstanceOf(
    BadRequestError,
  )
})

test('a past version can be redacted, and only that', async () => {
  const memory_store_id = await makeStore()
  const { id, memory_version_id } = await write(memory_store_id, '/secret', 'hunter2')
  const redact = () => stores.memoryVersions.redact(memory_version_id, { memory_store_id })
  await expect(redact()).rejects.toThrow('change or delete that memory first')
  await stores.memories.update(id, { memory_store_id, content: 'gone' })
  const redacted = await redact()
  expect(redacted).toMatchObject({
    content: null,
    path: null,
    content_sha256: null,
    content_size_bytes: null,
    redacted_by: { type: 'api_actor' },
  })
  server.clock.nowMs += 1000
  expect(await redact()).toEqual(redacted)
  const again = await stores.memoryVersions.retrieve(memory_version_id, { memory_store_id })
  expect(again).toEqual(redacted)
})

test.each([
  ['no slash', 'a'],
  ['an empty segment', '/a//b'],
  ['a trailing slash', '/a/'],
  ['a way up', '/a/../b'],
  ['too many segments', '/x'.repeat(21)],
  ['a control character', '/a\u0007'],
  ['a format character', '/a\u200b'],
  ['a line separator', '/a\u2028b'],
  ['decomposed letters', '/u\u0308'],
  ['too many bytes', `/${'ü'.repeat(512)}`],
])('refuses a path with %s', async (_, path) => {
  await expect(write(await makeStore(), path, 'x')).rejects.toBeInstanceOf(BadRequestError)
})

test('keeps to the limits of contents and stores', async () => {
  const store = await makeStore()
  const most = HOSTED_LIMITS.memoryBytes
  await expect(write(store, '/large', `${'x'.repeat(most)}x`)).rejects.toBeInstanceOf(
    BadRequestError,
  )
  expect((await write(store, '/large', 'x'.repeat(most))).content_size_bytes).toBe(most)
  await server.database.write(function* () {
    for (let count = 1; count < HOSTED_LIMITS.memories; count += 1)
      yield {
        text: `INSERT INTO memories (id, store_id, path, version_id, content, sha256, size,
                 created_ms, updated_ms) VALUES ($1, $2, $1, '', '', '', 0, 0, 0)`,
        values: [`${store}_${count}`, store],
      }
  })
  await expect(write(store, '/one-more', 'x')).rejects.toThrow('at most 2000 memories')
})

test('the token of a session reaches its own stores, as far as the session may', async () => {
  const [own, readOnly, foreign] = [await makeStore(), await makeStore(), await makeStore()]
  const agent = await server.client.beta.agents.create({ name: 'a', model: 'm' })
  const environment = await server.client.beta.environments.create({
    name: 'laptop',
    config: { type: 'self_hosted' },
  })
  const session = await server.client.beta.sessions.create({
    agent: agent.id,
    environment_id: environment.id,
    resources: [
      { type: 'memory_store', memory_store_id: own },
      { type: 'memory_store', memory_store_id: readOnly, access: 'read_only' },
    ],
  })
  const limits = { environmentId: environment.id, sessionId: session.id }
  const key = await server.makeKey({ scope: 'session', ...limits })
  const { memories } = server.clientWith(key).beta.memoryStores
  const made = await memories.create(own, { path: '/a.md', content: 'a' })
  await memories.update(made.id, { memory_store_id: own, content: 'b' })
  const { data } = await stores.memoryVersions.list(own)
  expect(data.map(({ created_by }) => created_by)).toEqual([
    { type: 'session_actor', session_id: session.id },
    { type: 'session_actor', session_id: session.id },
  ])
  expect((await memories.list(readOnly)).data).toEqual([])
  const refused = { status: 403 }
  await expect(memories.create(readOnly, { path: '/a', content: '' })).rejects.toMatchObject(
    refused,
  )
  await expect(memories.list(foreign)).rejects.toMatchObject(refused)
  const environmentKey = await server.makeKey({
    scope: 'environment',
    environmentId: environment.id,
  })
  const poller = server.clientWith(environmentKey).beta.memoryStores
  await expect(poller.memories.list(own)).rejects.toMatchObject(refused)
})
