import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApi, type TestApi } from './testing/start-test-api.ts'

let server: TestApi
beforeAll(async () => {
  server = await startTestApi()
})
afterAll(() => server.stop())

test('an agent, an environment, a session, a message, its stream and its list', async () => {
  const { client } = server
  const agent = await client.beta.agents.create({
    name: 'Reader',
    model: 'claude-opus-4-6',
    tools: [{ type: 'agent_toolset_20260401' }],
  })
  expect(agent).toMatchObject({ version: 1, model: { id: 'claude-opus-4-6' }, system: null })
  const environment = await client.beta.environments.create({ name: 'thin path' })
  const session = await client.beta.sessions.create({
    agent: agent.id,
    environment_id: environment.id,
  })
  expect(session.status).toBe('idle')

  const stream = await client.beta.sessions.events.stream(session.id)
  const sent = await client.beta.sessions.events.send(session.id, {
    events: [{ type: 'user.message', content: [{ type: 'text', text: 'hello' }] }],
  })
  const id = sent.data?.[0]?.id
  for await (const event of stream) {
    expect(event).toMatchObject({ id, type: 'user.message' })
    break
  }
  const listed = await client.beta.sessions.events.list(session.id)
  expect(listed.data.map((event) => event.id)).toEqual([id])
  expect(server.failures).toEqual([])
})
