import type Anthropic from '@anthropic-ai/sdk'
import { ConflictError } from '@anthropic-ai/sdk'
import { hostedEnvironment } from '@steward/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { codeOf } from '../serve/testing/code-of.ts'
import { startTestApi, type TestApi } from '../serve/testing/start-test-api.ts'

let server: TestApi
let environments: Anthropic.Beta.Environments
beforeAll(async () => {
  server = await startTestApi()
  environments = server.client.beta.environments
})
afterAll(() => server.stop())

test('is unrestricted by default, and updated field by field', async () => {
  const made = await environments.create({ name: 'plain' })
  expect(hostedEnvironment.parse(made).config).toEqual({
    type: 'cloud',
    networking: { type: 'unrestricted' },
    packages: { type: 'packages', apt: [], cargo: [], gem: [], go: [], npm: [], pip: [] },
  })
  const networking = { type: 'limited' as const, allowed_hosts: ['api.example.com'] }
  const limited = await environments.update(made.id, { config: { type: 'cloud', networking } })
  const described = await environments.update(made.id, { description: 'mine' })
  expect(described.config).toEqual(limited.config)
  expect(described).toMatchObject({ description: 'mine', name: 'plain' })
})

test('the older name of the type in recipes of the vendor means the same', async () => {
  const config = z.custom<Anthropic.Beta.EnvironmentCreateParams['config']>().parse({
    type: 'anthropic_cloud',
    networking: { type: 'limited' },
  })
  const made = await environments.create({ name: 'from a recipe', config })
  expect(made.config).toMatchObject({ type: 'cloud', networking: { type: 'limited' } })
  const changed = await environments.update(made.id, { config, description: 'mine' })
  expect(changed.config).toEqual(made.config)
  const own = await environments.create({ name: 'own', config: { type: 'self_hosted' } })
  expect(await codeOf(environments.update(own.id, { config }))).toContain('400')
})

test('packages that could never be installed are refused', async () => {
  const config = { type: 'cloud' as const, packages: { apt: ['jq'] } }
  await expect(environments.create({ name: 'apt', config })).rejects.toThrow('apt needs root')
  const made = await environments.create({ name: 'apt' })
  await expect(environments.update(made.id, { config })).rejects.toThrow('apt needs root')
})

test('names are unique among unarchived environments', async () => {
  const first = await environments.create({ name: 'taken' })
  const again = environments.create({ name: 'taken' })
  await expect(again).rejects.toBeInstanceOf(ConflictError)
  const other = await environments.create({ name: 'free' })
  await expect(environments.update(other.id, { name: 'taken' })).rejects.toBeInstanceOf(
    ConflictError,
  )
  await environments.archive(first.id)
  expect((await environments.create({ name: 'taken' })).name).toBe('taken')
})

test('only one of concurrent calls gets a name', async () => {
  const names = ['one', 'two', 'three', 'four', 'five', 'six']
  const made = await Promise.all(names.map((name) => environments.create({ name })))
  const renamed = await Promise.allSettled(
    made.map(({ id }) => environments.update(id, { name: 'wanted by all' })),
  )
  const refusals = renamed.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  expect(refusals).toHaveLength(names.length - 1)
  for (const refusal of refusals) expect(refusal).toBeInstanceOf(ConflictError)
})

test('each refusal has the code that the client knows', async () => {
  const { id } = await environments.create({ name: 'codes' })
  expect(await codeOf(environments.update(id, { config: { type: 'self_hosted' } }))).toBe(
    '400 invalid_config_type_change',
  )
  expect(await codeOf(environments.retrieve('env_nothing'))).toBe('404 environment_not_found')
  const metadata = Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`k${n}`, 'v']))
  expect(await codeOf(environments.update(id, { metadata }))).toBe('400 invalid_metadata')
  await environments.archive(id)
  expect(await codeOf(environments.update(id, { name: 'later' }))).toBe('400 environment_archived')
})

test('is deleted when no session needs it', async () => {
  const agent = await server.client.beta.agents.create({ name: 'a', model: 'm' })
  const environment = await environments.create({ name: 'goes' })
  const session = await server.client.beta.sessions.create({
    agent: agent.id,
    environment_id: environment.id,
  })
  await expect(environments.delete(environment.id)).rejects.toBeInstanceOf(ConflictError)
  await server.client.beta.sessions.delete(session.id)
  expect(await environments.delete(environment.id)).toMatchObject({
    id: environment.id,
    type: 'environment_deleted',
  })
  expect(await codeOf(environments.retrieve(environment.id))).toBe('404 environment_not_found')
  expect(server.failures).toEqual([])
})
