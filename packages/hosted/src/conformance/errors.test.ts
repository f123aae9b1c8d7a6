import Anthropic from '@anthropic-ai/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CLIENT_VERSIONS } from './testing/client-versions.ts'
import { type FaultyProxy, startFaultyProxy } from './testing/faulty-proxy.ts'
import { freshName, makeScripted, say } from './testing/follow.ts'
import { connect, startWorld, type World } from './testing/start-world.ts'

let world: World
let proxy: FaultyProxy
beforeAll(async () => {
  world = await startWorld()
  proxy = await startFaultyProxy(world.address)
})
afterAll(async () => {
  expect(world.failures).toEqual([])
  await proxy.stop()
  await world.stop()
})

const BETA = { headers: { 'anthropic-beta': 'managed-agents-2026-04-01' } }

describe.each(CLIENT_VERSIONS)('client $version', (version) => {
  const { errors } = version
  let client: Anthropic
  let faults: string[]
  beforeAll(async () => {
    const connected = await connect(world, version)
    client = connected.client
    faults = connected.faults
  })
  afterAll(() => expect(faults).toEqual([]))

  /** The error, with its code, of a call that must fail. */
  const failureOf = async (call: Promise<unknown>) => {
    const error = await call.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    if (!(error instanceof errors.APIError)) throw new Error(`no error of the API: ${error}`)
    return error
  }
  const codeOf = (code: string) => ({ error: { error: { details: { error_code: code } } } })

  test('400', async () => {
    const { agents, environments } = client.beta
    const wrong = await failureOf(agents.create({ name: '', model: 'claude-opus-4-6' }))
    expect(wrong).toBeInstanceOf(errors.BadRequestError)
    expect(wrong.requestID).toMatch(/^req_/)
    expect(wrong.message).toContain('name')
    const metadata = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [index, 'x']))
    const much = await failureOf(agents.create({ name: 'a', model: 'm', metadata }))
    expect(much).toMatchObject(codeOf('invalid_metadata'))
    const place = await environments.create({ name: freshName('env') })
    const changed = environments.update(place.id, { config: { type: 'self_hosted' } })
    expect(await failureOf(changed)).toMatchObject(codeOf('invalid_config_type_change'))
    await environments.archive(place.id)
    const agent = await agents.create({ name: 'a', model: 'm' })
    const late = client.beta.sessions.create({ agent: agent.id, environment_id: place.id })
    const archived = await failureOf(late)
    expect(archived).toMatchObject({ status: 400, ...codeOf('environment_archived') })
    const cursor = failureOf(agents.list({ page: 'nonsense' }).asResponse())
    expect(await cursor).toBeInstanceOf(errors.BadRequestError)
  })

  test('401, 403, 404', async () => {
    const unknown = await connect(world, version, { key: 'sk-steward-unknown' })
    const noKey = await failureOf(unknown.client.beta.agents.list().asResponse())
    expect(noKey).toBeInstanceOf(errors.AuthenticationError)
    const key = await world.makeKey({ scope: 'read' })
    const reader = await connect(world, version, { key })
    await reader.client.beta.agents.list()
    const mayNot = await failureOf(reader.client.beta.vaults.create({ display_name: 'x' }))
    expect(mayNot).toBeInstanceOf(errors.PermissionDeniedError)
    const none = await failureOf(client.beta.environments.retrieve('env_none'))
    expect(none).toBeInstanceOf(errors.NotFoundError)
    expect(none).toMatchObject(codeOf('environment_not_found'))
    for (const id of ['a b', '%00', 'ü', 'x'.repeat(300)])
      expect(await failureOf(client.beta.sessions.retrieve(id))).toMatchObject({ status: 404 })
  })

  test('409 is final: the client does not retry', async () => {
    const through = await connect(world, version, { baseURL: proxy.address, maxRetries: 2 })
    const { agents, environments, sessions } = through.client.beta
    const { session, agent, environment } = await makeScripted(world, client, [])
    proxy.failNext(500)
    const stale = await failureOf(agents.update(agent.id, { version: 7, name: 'x' }))
    expect(stale).toBeInstanceOf(errors.ConflictError)
    const twice = await failureOf(environments.create({ name: environment.name }))
    expect(twice).toBeInstanceOf(errors.ConflictError)
    await client.beta.sessions.archive(session.id)
    const late = await failureOf(sessions.events.send(session.id, { events: [say('late')] }))
    expect(late).toBeInstanceOf(errors.ConflictError)
    expect(late.headers?.get('x-should-retry')).toBe('false')
    expect(proxy.attempts).toEqual(['POST 0', 'POST 0', 'POST 0'])
    expect(through.faults).toEqual([])
  })

  test.runIf(version.hasWork)('412', async () => {
    const { environment } = await makeScripted(world, client, [], {
      config: { type: 'self_hosted' },
    })
    const environment_id = environment.id
    const { work } = client.beta.environments
    const item = await work.poll(environment_id)
    await work.ack(item?.id ?? '', { environment_id })
    const beat = (expected_last_heartbeat: string) =>
      work.heartbeat(item?.id ?? '', { environment_id, expected_last_heartbeat })
    await beat('NO_HEARTBEAT')
    const lost = await failureOf(beat('NO_HEARTBEAT'))
    expect(lost).toMatchObject({ status: 412, ...codeOf('heartbeat_precondition_failed') })
    if (version.version === '1.8') expect(lost).toBeInstanceOf(Anthropic.PreconditionFailedError)
  })

  test('413 reaches a client that is still sending', async () => {
    const system = 'x'.repeat(33 * 1024 * 1024)
    const large = await failureOf(client.beta.agents.create({ name: 'a', model: 'm', system }))
    expect(large).toMatchObject({ status: 413, error: { error: { type: 'request_too_large' } } })
  })

  test('a lost request is retried and stored once', async () => {
    const through = await connect(world, version, { baseURL: proxy.address, maxRetries: 2 })
    const { session } = await makeScripted(world, client, [{ says: 'Yes.' }])
    const { events } = through.client.beta.sessions
    const send = (text: string) => events.send(session.id, { events: [say(text)] })
    proxy.failNext(529, 'refuse', 'refuse')
    await send('refused twice')
    expect(proxy.attempts).toEqual(['POST 0', 'POST 1', 'POST 2'])
    proxy.failNext(500, 'lose', 'lose')
    const echo = await send('answers lost')
    proxy.failNext(500, 'cut')
    await send('cut off')
    expect(proxy.attempts).toEqual(['POST 0', 'POST 1'])
    const listed = await client.beta.sessions.events.list(session.id, { types: ['user.message'] })
    expect(JSON.stringify(listed.data).match(/refused twice|answers lost|cut off/g)).toEqual([
      'refused twice',
      'answers lost',
      'cut off',
    ])
    expect(listed.data[1]?.id).toBe(echo.data?.[0]?.id)
    // Sending the same message twice on purpose stores it twice.
    await send('answers lost')
    const later = await client.beta.sessions.events.list(session.id, { types: ['user.message'] })
    expect(later.data).toHaveLength(4)

    const { agents, sessions, files } = through.client.beta
    proxy.failNext(500, 'lose')
    const name = freshName('Once')
    const agent = await agents.create({ name, model: 'claude-opus-4-6' })
    const same: string[] = []
    for await (const each of client.beta.agents.list({ limit: 100 }))
      if (each.name === name) same.push(each.id)
    expect(same).toEqual([agent.id])
    proxy.failNext(500, 'lose')
    const { environment_id } = session
    const made = await sessions.create({ agent: agent.id, environment_id })
    const all = await client.beta.sessions.list({ agent_id: agent.id })
    expect(all.data.map(({ id }) => id)).toEqual([made.id])
    proxy.failNext(500, 'lose')
    const file = await files.upload({ file: new File(['once'], `${name}.txt`) })
    const kept = (await client.beta.files.list()).data.filter(({ filename }) =>
      filename.startsWith(name),
    )
    expect(kept.map(({ id }) => id)).toEqual([file.id])
    proxy.failNext(500, 'lose')
    const gone = await sessions.delete(made.id)
    expect(gone).toEqual({ id: made.id, type: 'session_deleted' })
    proxy.failNext(500, 'lose', 'lose', 'lose')
    expect(await failureOf(send('never heard of'))).toBeInstanceOf(errors.InternalServerError)
  })

  test('accepts both kinds of credentials, the old query key, and PUT', async () => {
    const key = await world.makeKey()
    const agent = await client.beta.agents.create({ name: 'a', model: 'claude-opus-4-6' })
    const ask = (headers: Record<string, string>) =>
      fetch(`${world.address}/v1/agents/${agent.id}?beta=true&colour=red`, {
        headers: { ...BETA.headers, ...headers },
      })
    expect((await ask({ 'x-api-key': key })).status).toBe(200)
    expect((await ask({ authorization: `Bearer ${key}` })).status).toBe(200)
    expect((await ask({ 'x-api-key': key, 'anthropic-version': '2023-06-01' })).status).toBe(200)
    const put = await client.put(`/v1/agents/${agent.id}`, { ...BETA, body: { name: 'Put' } })
    expect(put).toMatchObject({ id: agent.id, name: 'Put', version: 2 })
  })
})
