import type Anthropic from '@anthropic-ai/sdk'
import { BadRequestError, ConflictError, NotFoundError } from '@anthropic-ai/sdk'
import { hostedSession, hostedThread } from '@steward/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { appendEvents } from '../log/append-events.ts'
import { claimLease, findDueSessions } from '../log/lease.ts'
import { codeOf } from '../serve/testing/code-of.ts'
import { startTestApi, type TestApi } from '../serve/testing/start-test-api.ts'
import { makeSession, say, writeAs } from './testing/make-session.ts'

let server: TestApi
let sessions: Anthropic.Beta.Sessions
beforeAll(async () => {
  server = await startTestApi()
  sessions = server.client.beta.sessions
})
afterAll(() => server.stop())

const budget = (amount: string) => ({
  type: 'limit' as const,
  max_list_cost: { amount, currency: 'USD' as const },
})

test('stores the agent as it was, with every field', async () => {
  const made = await makeSession(server, { title: 'First', metadata: { a: 'b' } })
  expect(hostedSession.parse(made)).toMatchObject({ status: 'idle', budget: null, vault_ids: [] })
  await server.client.beta.agents.update(made.agent.id, { version: 1, system: 'later' })
  expect((await sessions.retrieve(made.id)).agent).toMatchObject({ version: 1, system: null })
  const thread = (await sessions.threads.list(made.id)).data[0]
  expect(hostedThread.parse(thread)).toMatchObject({ session_id: made.id, status: 'idle' })
  expect(await sessions.threads.retrieve(thread?.id ?? '', { session_id: made.id })).toEqual(thread)
})

test('overrides replace the agent’s settings for one session', async () => {
  const { agent, environment_id } = await makeSession(server)
  const other = await sessions.create({
    environment_id,
    agent: { type: 'agent_with_overrides', id: agent.id, system: 'Be brief.', tools: [] },
  })
  expect(other.agent).toMatchObject({ system: 'Be brief.', tools: [], model: agent.model })
})

test('first events are created with the session, all or nothing', async () => {
  const made = await makeSession(server, {
    initial_events: [
      { type: 'user.message', content: [{ type: 'text', text: 'go' }] },
      { type: 'user.define_outcome', description: 'done', rubric: { type: 'text', content: 'r' } },
    ],
  })
  expect(made.outcome_evaluations).toMatchObject([{ description: 'done', result: 'pending' }])
  const { data } = await sessions.events.list(made.id)
  expect(data.map(({ type }) => type)).toEqual(['user.message', 'user.define_outcome'])
  expect(data[0]?.processed_at).toBeNull()
  const due = await server.database.read(() => findDueSessions(server.clock.nowMs, 100))
  expect(due).toContain(made.id)

  const before = await sessions.list({ limit: 1000 })
  const file = { type: 'image' as const, source: { type: 'file' as const, file_id: 'file_none' } }
  await expect(
    makeSession(server, { initial_events: [{ type: 'user.message', content: [file] }] }),
  ).rejects.toBeInstanceOf(BadRequestError)
  expect((await sessions.list({ limit: 1000 })).data.length).toBe(before.data.length)
})

test('cannot be created from archived or missing resources', async () => {
  const { agent, environment_id } = await makeSession(server)
  const create = (params: Partial<Anthropic.Beta.SessionCreateParams>) =>
    sessions.create({ agent: agent.id, environment_id, ...params })
  expect(await codeOf(create({ agent: 'agent_none' }))).toBe('404 ')
  expect(await codeOf(create({ environment_id: 'env_none' }))).toBe('404 environment_not_found')
  expect(await codeOf(create({ vault_ids: ['vlt_none'] }))).toBe('404 ')
  expect(await codeOf(create({ resources: [{ type: 'file', file_id: 'file_none' }] }))).toBe('400 ')
  await server.client.beta.environments.archive(environment_id)
  expect(await codeOf(create({}))).toBe('400 environment_archived')
})

test('lists support both orders and all filters', async () => {
  const begin = server.clock.nowMs + 10
  const made: string[] = []
  for (let count = 0; count < 5; count++) {
    server.clock.nowMs = begin + count
    made.push((await makeSession(server)).id)
  }
  const since = { 'created_at[gte]': new Date(begin).toISOString(), limit: 2 }
  const first = await sessions.list({ ...since, order: 'asc' })
  expect(first.data.map(({ id }) => id)).toEqual(made.slice(0, 2))
  expect(first.prev_page).toBeNull()
  const second = await sessions.list({ ...since, order: 'asc', page: first.next_page ?? '' })
  expect(second.data.map(({ id }) => id)).toEqual(made.slice(2, 4))
  const back = await sessions.list({ ...since, order: 'asc', page: second.prev_page ?? '' })
  expect(back.data.map(({ id }) => id)).toEqual(made.slice(0, 2))
  expect(back.prev_page).toBeNull()
  const wrong = sessions.list({ ...since, order: 'desc', page: first.next_page ?? '' })
  await expect(wrong).rejects.toBeInstanceOf(BadRequestError)

  const { agent } = await sessions.retrieve(made[0] ?? '')
  expect((await sessions.list({ agent_id: agent.id })).data.map(({ id }) => id)).toEqual([made[0]])
  await writeAs(server, made[1] ?? '', { type: 'session.status_running' })
  const running = await sessions.list({ statuses: ['running', 'rescheduling'] })
  expect(running.data.map(({ id }) => id)).toEqual([made[1]])
  expect((await sessions.list({ deployment_id: 'depl_none' })).data).toEqual([])
})

test('logs what an update changed, and nothing else', async () => {
  const { id } = await makeSession(server, { title: 'Old', metadata: { keep: 'k', drop: 'd' } })
  await sessions.update(id, { title: 'New', metadata: { drop: null } })
  await sessions.update(id, { title: 'New' })
  const tools = [{ type: 'agent_toolset_20260401' as const, configs: [] }]
  await sessions.update(id, { agent: { tools, mcp_servers: [] } })
  const { data } = await sessions.events.list(id)
  expect(data).toMatchObject([{ type: 'session.updated', title: 'New', metadata: { keep: 'k' } }])
  expect(data[0]).not.toHaveProperty('agent')
  await writeAs(server, id, { type: 'session.status_running' })
  await expect(sessions.update(id, { agent: { tools: [] } })).rejects.toBeInstanceOf(ConflictError)
  await expect(sessions.update(id, { vault_ids: [] })).rejects.toBeInstanceOf(BadRequestError)
})

test('a budget is raised or removed, never added or lowered below the cost', async () => {
  const without = await makeSession(server)
  expect(await codeOf(sessions.update(without.id, { budget: budget('5') }))).toBe(
    '400 budget_create_only',
  )
  const { id } = await makeSession(server, { budget: budget('10') })
  const bill = {
    inputTokens: 1,
    outputTokens: 1,
    cacheReadTokens: 0,
    cacheWrite5mTokens: 0,
    cacheWrite1hTokens: 0,
    nanoDollars: 110_000_000,
  }
  await writeAs(server, id, { type: 'span.model_request_end', hidden: { bill } })
  expect((await sessions.retrieve(id)).usage.list_cost).toEqual({ amount: '11', currency: 'USD' })
  const send = () => sessions.events.send(id, { events: [say('more')] })
  expect(await codeOf(send())).toBe('400 budget_reached')
  await sessions.events.send(id, { events: [{ type: 'user.interrupt' }] })
  expect(await codeOf(sessions.update(id, { budget: budget('11') }))).toBe('400 budget_not_raised')
  await sessions.update(id, { budget: budget('12') })
  await send()
  expect((await sessions.update(id, { budget: null })).budget).toBeNull()
  expect(await codeOf(sessions.update(id, { budget: budget('99') }))).toBe('400 budget_create_only')
  const { environment_id } = without
  const agent = await server.client.beta.agents.create({ name: 'free', model: 'own-model' })
  const unpriced = sessions.create({ agent: agent.id, environment_id, budget: budget('5') })
  expect(await codeOf(unpriced)).toBe('400 model_not_budgetable')
})

test('archived sessions are read-only', async () => {
  const { id } = await makeSession(server)
  const { nowMs } = server.clock
  const lease = await server.database.write(() =>
    claimLease(id, { owner: 'a brain that has not begun', nowMs, ttlMs: 1000 }),
  )
  await sessions.archive(id)
  const begins = [{ type: 'session.status_running' }]
  await expect(
    server.database.write(() => appendEvents(id, begins, { nowMs, ...(lease && { lease }) })),
  ).rejects.toMatchObject({ code: 'hosted_lease_lost' })
  const refusal = await sessions.events.send(id, { events: [say('late')] }).catch((error) => error)
  expect(refusal).toBeInstanceOf(ConflictError)
  expect(refusal.headers.get('x-should-retry')).toBe('false')
  expect((await sessions.events.list(id)).data).toEqual([])
  expect(server.released).toContain(`keep ${id}`)
})

test('deleting removes events and sandbox; refused while it runs', async () => {
  const { id } = await makeSession(server)
  await writeAs(server, id, { type: 'session.status_running' })
  await expect(sessions.delete(id)).rejects.toBeInstanceOf(ConflictError)
  await writeAs(server, id, { type: 'session.status_idle', body: {} })
  const stream = await sessions.events.stream(id)
  expect(await sessions.delete(id)).toEqual(expect.objectContaining({ type: 'session_deleted' }))
  const types: string[] = []
  for await (const event of stream) types.push(event.type)
  expect(types).toEqual(['session.deleted'])
  await expect(sessions.retrieve(id)).rejects.toBeInstanceOf(NotFoundError)
  expect(server.released).toContain(`delete ${id}`)
})

test.each([
  '/etc/x',
  '/usr',
  '/run/x',
  '/proc',
  '/workspace',
  '/workspace/../etc',
  '../etc',
  '',
  '//x',
])('resources: nothing can be mounted at %s, which is refused immediately', async (mount_path) => {
  const url = 'https://github.com/acme/tools.git'
  const resources = [{ type: 'github_repository' as const, url, mount_path }]
  await expect(makeSession(server, { resources })).rejects.toBeInstanceOf(BadRequestError)
})

test('resources: relative paths are below the default folder of their type', async () => {
  const file = await server.client.beta.files.upload({ file: new File(['x'], 'notes.txt') })
  const { id, resources } = await makeSession(server, {
    resources: [
      { type: 'file', file_id: file.id, mount_path: 'logs/notes.txt' },
      { type: 'github_repository', url: 'https://github.com/acme/tools.git', mount_path: 'infra' },
    ],
  })
  expect(resources).toMatchObject([
    { mount_path: '/mnt/session/uploads/logs/notes.txt' },
    { mount_path: '/workspace/infra' },
  ])
  const added = await sessions.resources.add(id, {
    type: 'file',
    file_id: file.id,
    mount_path: 'more.txt',
  })
  expect(added.mount_path).toBe('/mnt/session/uploads/more.txt')
})

test('resources: two cannot have the same path', async () => {
  const file = await server.client.beta.files.upload({ file: new File(['x'], 'notes.txt') })
  const notes = { type: 'file' as const, file_id: file.id, mount_path: 'notes.txt' }
  const absolute = { ...notes, mount_path: '/mnt/session/uploads/notes.txt' }
  await expect(makeSession(server, { resources: [notes, absolute] })).rejects.toThrow(
    'another resource is mounted at /mnt/session/uploads/notes.txt',
  )
  const { id } = await makeSession(server, { resources: [notes] })
  await expect(sessions.resources.add(id, absolute)).rejects.toBeInstanceOf(BadRequestError)
  expect((await sessions.resources.list(id)).data).toHaveLength(1)
})

test('resources: the token of a repository is never returned, a file can be added', async () => {
  const file = await server.client.beta.files.upload({ file: new File(['x'], 'notes.txt') })
  const { id, resources } = await makeSession(server, {
    resources: [
      {
        type: 'github_repository',
        url: 'https://github.com/acme/tools.git',
        authorization_token: 'very-secret',
      },
    ],
  })
  expect(resources).toMatchObject([{ type: 'github_repository', mount_path: '/workspace/tools' }])
  const added = await sessions.resources.add(id, { type: 'file', file_id: file.id })
  expect(added).toMatchObject({ mount_path: `/mnt/session/uploads/${file.id}` })
  const [given] = resources
  const repository = given?.type === 'github_repository' ? given.id : ''
  await sessions.resources.update(repository, {
    session_id: id,
    authorization_token: 'newer-secret',
  })
  const listed = await sessions.resources.list(id, { limit: 1 })
  const next = await listed.getNextPage()
  expect([...listed.data, ...next.data]).toHaveLength(2)
  expect(JSON.stringify([listed.data, next.data])).not.toContain('secret')
  expect(await sessions.resources.delete(added.id, { session_id: id })).toMatchObject({
    type: 'session_resource_deleted',
  })
  await expect(sessions.resources.retrieve(added.id, { session_id: id })).rejects.toBeInstanceOf(
    NotFoundError,
  )
  expect(server.failures).toEqual([])
})
