import { BETA_FAMILIES } from '@steward/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findDueSessions } from '../log/lease.ts'
import { startTestApi, type TestApi } from '../serve/testing/start-test-api.ts'

let server: TestApi
beforeAll(async () => {
  server = await startTestApi()
})
afterAll(() => server.stop())

test('a woken session is due next, and its log is unchanged', async () => {
  const { client, database, clock } = server
  const agent = await client.beta.agents.create({ name: 'sleeper', model: 'claude-opus-4-6' })
  const environment = await client.beta.environments.create({ name: 'bed' })
  const { id } = await client.beta.sessions.create({
    agent: agent.id,
    environment_id: environment.id,
  })
  const due = () => database.read(() => findDueSessions(clock.nowMs, 10))
  const wake = () =>
    client.post(`/v1/sessions/${id}/wake`, { headers: { 'anthropic-beta': BETA_FAMILIES.agents } })
  expect(await due()).toEqual([])

  expect(await wake()).toMatchObject({ id, status: 'idle' })
  expect(await due()).toEqual([id])
  expect((await client.beta.sessions.events.list(id)).data).toEqual([])

  await client.beta.sessions.archive(id)
  await expect(wake()).rejects.toMatchObject({ status: 409 })
  expect(await due()).toEqual([])
})
