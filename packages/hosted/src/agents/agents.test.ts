import type Anthropic from '@anthropic-ai/sdk'
import { ConflictError, NotFoundError } from '@anthropic-ai/sdk'
import { hostedAgent } from '@steward/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../serve/testing/start-test-api.ts'

let server: TestApi
let agents: Anthropic.Beta.Agents
beforeAll(async () => {
  server = await startTestApi()
  agents = server.client.beta.agents
})
afterAll(() => server.stop())

test('is returned complete and with defaults, whatever was omitted', async () => {
  const made = await agents.create({
    name: 'Whole',
    model: { id: 'claude-opus-4-6', effort: 'high' },
    tools: [
      { type: 'agent_toolset_20260401', configs: [{ name: 'bash', enabled: false }] },
      { type: 'custom', name: 'ask', description: 'asks', input_schema: { type: 'object' } },
    ],
  })
  expect(hostedAgent.parse(made)).toMatchObject({
    model: { id: 'claude-opus-4-6', effort: { type: 'high' } },
    mcp_servers: [],
    multiagent: null,
    archived_at: null,
    execution_identity: { type: 'service_account' },
  })
  expect(made.tools[0]).toMatchObject({
    default_config: { enabled: true, permission_policy: { type: 'always_allow' } },
    configs: [{ name: 'bash', type: 'bash', enabled: false }],
  })
  expect(await agents.retrieve(made.id)).toEqual(made)
})

test('every change creates a version, and versions are immutable', async () => {
  const first = await agents.create({ name: 'Versions', model: 'm', system: 'one' })
  server.clock.nowMs += 5
  const second = await agents.update(first.id, { version: 1, system: 'two', metadata: { a: 'b' } })
  expect(second).toMatchObject({ version: 2, system: 'two', name: 'Versions' })
  const same = await agents.update(first.id, { version: 2, system: 'two' })
  expect(same.version).toBe(2)
  const cleared = await agents.update(first.id, { version: 2, system: null, metadata: { a: null } })
  expect(cleared).toMatchObject({ version: 3, system: null, metadata: {} })
  expect(await agents.retrieve(first.id, { version: 1 })).toMatchObject({ system: 'one' })
  const versions: number[] = []
  for await (const agent of agents.versions.list(first.id, { limit: 1 }))
    versions.push(agent.version)
  expect(versions).toEqual([3, 2, 1])
})

test('an update for an outdated version is refused permanently', async () => {
  const { id } = await agents.create({ name: 'Locked', model: 'm' })
  await agents.update(id, { version: 1, name: 'Locked 2' })
  const refusal = await agents.update(id, { version: 1, name: 'late' }).catch((error) => error)
  expect(refusal).toBeInstanceOf(ConflictError)
  expect(refusal.headers.get('x-should-retry')).toBe('false')
})

test('archiving keeps it readable, hides it from lists and makes it immutable', async () => {
  const { id } = await agents.create({ name: 'Old', model: 'm' })
  const archived = await agents.archive(id)
  expect(archived.archived_at).not.toBeNull()
  expect(await agents.archive(id)).toEqual(archived)
  await expect(agents.update(id, { version: 1, name: 'new' })).rejects.toBeInstanceOf(ConflictError)
  const environment = await server.client.beta.environments.create({ name: 'for old agents' })
  const session = server.client.beta.sessions.create({ agent: id, environment_id: environment.id })
  await expect(session).rejects.toThrow('it can be read, but neither used nor changed')
  const ids = async (include_archived: boolean) => {
    const found: string[] = []
    for await (const agent of agents.list({ include_archived, limit: 2 })) found.push(agent.id)
    return found
  }
  expect(await ids(false)).not.toContain(id)
  expect(await ids(true)).toContain(id)
})

test('lists are newest first without duplicates, even with concurrent changes', async () => {
  const begin = server.clock.nowMs + 1
  const made: string[] = []
  for (let count = 0; count < 5; count++) {
    // Two entries share each timestamp, so their ids decide the order.
    server.clock.nowMs = begin + Math.floor(count / 2)
    made.push((await agents.create({ name: `n${count}`, model: 'm' })).id)
  }
  const since = new Date(begin).toISOString()
  const seen: string[] = []
  for await (const agent of agents.list({ limit: 2, 'created_at[gte]': since })) {
    seen.push(agent.id)
    if (seen.length === 2) {
      server.clock.nowMs += 1
      await agents.create({ name: 'later', model: 'm' })
    }
  }
  expect(seen.toSorted()).toEqual(made.toSorted())
  expect(seen[0]).toBe(made[4])
})

test('rejects missing resources and invalid combinations', async () => {
  await expect(agents.retrieve('agent_nothing')).rejects.toBeInstanceOf(NotFoundError)
  const { id } = await agents.create({ name: 'One', model: 'm' })
  await expect(agents.retrieve(id, { version: 9 })).rejects.toBeInstanceOf(NotFoundError)
  const servers = [{ type: 'url' as const, name: 'docs', url: 'https://mcp.example.com' }]
  await expect(agents.create({ name: 'a', model: 'm', mcp_servers: servers })).rejects.toThrow(
    'no mcp_toolset',
  )
  expect(server.failures).toEqual([])
})
