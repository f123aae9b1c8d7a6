import { BETA_FAMILIES, HOSTED_API, type HostedRoute, hostedErrorBody } from '@steward/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeEngines } from '../database/testing/engines.ts'
import { startTestApi, type TestApi } from '../serve/testing/start-test-api.ts'
import { say, writeAs } from '../sessions/testing/make-session.ts'
import { skillFiles } from '../skills/testing/skill-files.ts'
import { differences } from './testing/check-answers.ts'
import { freshName } from './testing/follow.ts'
import { type GeneratedRequest, generateRequests } from './testing/generate-requests.ts'
import type { KnownIds } from './testing/generate-values.ts'
import { findTextPlaces } from './testing/one-odd-text.ts'
import { readOpenapi } from './testing/openapi-document.ts'
import { sendRaw } from './testing/send-raw.ts'

const { operations, components } = readOpenapi()
const ROUTES = new Map(Object.entries<HostedRoute>(HOSTED_API))
const RUNS = 15

/** Creates one resource of each kind, so that an invalid request gets as far as it can. */
const makeThings = async (server: TestApi): Promise<KnownIds> => {
  const { client } = server
  const { agents, environments, sessions, vaults, files } = client.beta
  const agent = await agents.create({
    name: 'a',
    model: 'claude-opus-4-6',
    tools: [{ type: 'agent_toolset_20260401' }],
  })
  const place = await environments.create({
    name: freshName('env'),
    config: { type: 'self_hosted' },
  })
  const file = await files.upload({ file: new File(['words'], 'notes.txt') })
  const skill = await client.beta.skills.create({ files: skillFiles('a', 'b') })
  const store = await client.beta.memoryStores.create({ name: 'notes' })
  const memory = await client.beta.memoryStores.memories.create(store.id, {
    path: '/a',
    content: 'b',
  })
  const vault = await vaults.create({ display_name: 'v' })
  const credential = await vaults.credentials.create(vault.id, {
    auth: { type: 'static_bearer', mcp_server_url: 'https://a.example/', token: 't' },
  })
  const session = await sessions.create({
    agent: agent.id,
    environment_id: place.id,
    resources: [{ type: 'file', file_id: file.id }],
  })
  const [thread] = (await sessions.threads.list(session.id)).data
  const [work] = (await environments.work.list(place.id)).data
  const [resource] = (await sessions.resources.list(session.id)).data
  const [event] = await writeAs(server, session.id, {
    type: 'agent.tool_use',
    body: { name: 'bash', input: {}, evaluated_permission: 'ask' },
  })
  return {
    agent_id: agent.id,
    environment_id: place.id,
    file_id: file.id,
    memory_store_id: store.id,
    memory_id: memory.id,
    memory_version_id: memory.memory_version_id,
    skill_id: skill.id,
    version: skill.latest_version_id,
    vault_id: vault.id,
    credential_id: credential.id,
    session_id: session.id,
    thread_id: thread?.id ?? '',
    work_id: work?.id ?? '',
    resource_id: resource?.type === 'file' ? resource.id : '',
    event_id: event?.id ?? '',
  }
}

describeEngines('bad input', (engine) => {
  let server: TestApi
  beforeAll(async () => {
    const database = await engine.create()
    server = await startTestApi({
      // The test that created the database closes it.
      database: { ...database, close: async () => undefined },
      // Returns immediately instead of waiting for work that never arrives.
      setTimer: (_, action) => {
        const soon = setImmediate(action)
        return () => clearImmediate(soon)
      },
    })
  }, 60_000)
  afterAll(() => server.stop())

  const send = (given: GeneratedRequest) =>
    sendRaw(server.address, {
      ...given,
      headers: {
        'x-api-key': server.key,
        'anthropic-beta': BETA_FAMILIES.agents,
        ...given.headers,
      },
    })
  const check = async (given: GeneratedRequest, route?: HostedRoute): Promise<void> => {
    const { status, text, type, requestId } = await send(given)
    const failures = server.failures.splice(0).map((failure) => failure.message)
    expect({ status, failures }).toEqual({ status: expect.toSatisfy(isAnswer), failures: [] })
    expect(requestId).toMatch(/^req_/)
    if (status < 400 && typeof route?.answer === 'object' && status !== 204)
      expect(differences(text.slice(0, 500), route.answer, JSON.parse(text))).toEqual([])
    if (status < 400 || given.method === 'HEAD') return
    expect(type).toBe('application/json')
    const body = hostedErrorBody.parse(JSON.parse(text))
    expect(body.request_id).toBe(requestId)
    expect(body.error.message.length).toBeLessThan(5000)
  }

  test.each(operations)('$id: an answer or a 4xx with the envelope', async (operation) => {
    const things = await makeThings(server)
    // A route with a second path appears in the document twice.
    const route = ROUTES.get(operation.id.replace(/Too$/, ''))
    if (route === undefined) throw new Error('the document is not of this contract')
    await fc.assert(
      fc.asyncProperty(generateRequests(operation, components, things), async (given) => {
        await check(given, route)
      }),
      { numRuns: RUNS },
    )
  })

  test('rejects text that a store cannot hold, in every text field', async () => {
    const things = await makeThings(server)
    const findPlaces = findTextPlaces(components, things)
    const good = operations.filter(({ method }) => method !== 'DELETE')
    let asked = 0
    for (const { method, path: pattern, query, body } of good) {
      const path = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => things[name] ?? name)
      for (const odd of ['a\0b', '\ud800']) {
        const text = encodeURIComponent(odd.toWellFormed())
        for (const { name } of query)
          for (const key of [name, `${name}[gte]`])
            await check({ method, path: `${path}?${key}=${text}`, headers: {}, body: undefined })
        if (body === undefined || body === 'form') continue
        for (const spoil of findPlaces(body)) {
          asked += 1
          await check({ method, path, headers: {}, body: JSON.stringify(spoil(odd)) })
        }
      }
    }
    expect(asked).toBeGreaterThan(300)
  })

  test('rejects methods that a path does not support', async () => {
    const paths = new Set(operations.map(({ path }) => path.replaceAll(/\{\w+\}/g, 'x')))
    for (const path of [
      ...paths,
      '/',
      '/v1',
      '/v1/nothing',
      '//',
      '/v1/agents/',
      '/v1/x/../../y',
      '/%2e%2e/%2e',
    ])
      for (const method of ['PATCH', 'OPTIONS', 'TRACE', 'HEAD', 'PROPFIND', 'QUERY'])
        await check({ method, path, headers: {}, body: undefined })
  })

  test('still works afterwards', async () => {
    const things = await makeThings(server)
    const { events } = server.client.beta.sessions
    await events.send(things.session_id ?? '', { events: [say('still there?')] })
    const { data } = await events.list(things.session_id ?? '')
    expect(data).toHaveLength(2)
    const { polluted } = Object.fromEntries(Object.entries(Object.prototype))
    expect(polluted).toBeUndefined()
    expect(differences('events', HOSTED_API.listEvents.answer, { data, next_page: null })).toEqual(
      [],
    )
  })
})

const isAnswer = (status: number): boolean => status >= 200 && status < 500
