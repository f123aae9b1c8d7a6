import type Anthropic from '@anthropic-ai/sdk'
import { HOSTED_API } from '@steward/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { skillFiles } from '../skills/testing/skill-files.ts'
import { CLIENT_VERSIONS } from './testing/client-versions.ts'
import { freshName, isTurnEnd, makeScripted, readUntil, say } from './testing/follow.ts'
import { connect, startWorld, type World } from './testing/start-world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(async () => {
  expect(world.failures).toEqual([])
  await world.stop()
})

/** Operations that a client version does not support. */
const LATER = [
  'listWork',
  'pollWork',
  'getWorkStats',
  'getWork',
  'updateWork',
  'ackWork',
  'heartbeatWork',
  'stopWork',
  'validateCredential',
  'downloadSkillVersion',
  'createDeployment',
  'getDeployment',
  'listDeployments',
  'updateDeployment',
  'pauseDeployment',
  'unpauseDeployment',
  'archiveDeployment',
  'runDeployment',
  'listDeploymentRuns',
  'getDeploymentRun',
  'createWebhookEndpoint',
  'getWebhookEndpoint',
  'listWebhookEndpoints',
  'updateWebhookEndpoint',
  'deleteWebhookEndpoint',
  'regenerateWebhookSecret',
]
/**
 * The client has no method for Steward's own operations; archiving needs a thread that a coordinator
 * began, which has its own tests.
 */
const isCalled = ([name, { path }]: [string, { path: string }]): boolean =>
  !path.startsWith('/v1/steward/') && name !== 'wakeSession' && name !== 'archiveThread'

const thing = z.looseObject({ id: z.string() })
const idsOf = async (list: AsyncIterable<unknown>): Promise<string[]> => {
  const ids: string[] = []
  for await (const item of list) ids.push(thing.parse(item).id)
  return ids
}

describe.each(CLIENT_VERSIONS)('client $version', (version) => {
  let client: Anthropic
  let done: Set<string>
  let faults: string[]
  beforeAll(async () => {
    const connected = await connect(world, version)
    client = connected.client
    done = connected.done
    faults = connected.faults
  })

  test('agents', async () => {
    const { agents } = client.beta
    const made: string[] = []
    for (let count = 0; count < 5; count++)
      made.push((await agents.create({ name: `a${count}`, model: 'claude-opus-4-6' })).id)
    const [id = '', archived = ''] = made
    const updated = await agents.update(id, {
      version: 1,
      name: 'Renamed',
      metadata: { team: 'x' },
      tools: [
        {
          type: 'agent_toolset_20260401',
          configs: [{ name: 'bash', permission_policy: { type: 'always_ask' } }],
        },
        {
          type: 'custom',
          name: 'lookup',
          description: 'Looks it up.',
          input_schema: { type: 'object', properties: { word: { type: 'string' } } },
        },
      ],
    })
    expect(updated).toMatchObject({ id, version: 2, name: 'Renamed', metadata: { team: 'x' } })
    expect(await agents.retrieve(id)).toEqual(updated)
    expect(await agents.retrieve(id, { version: 1 })).toMatchObject({ version: 1, name: 'a0' })
    await agents.update(id, { version: 2, description: 'Third.' })
    const versions: number[] = []
    for await (const each of agents.versions.list(id, { limit: 2 })) versions.push(each.version)
    expect(versions).toEqual([3, 2, 1])
    const gone = await agents.archive(archived)
    expect(gone.archived_at).toEqual(expect.any(String))
    const listed = await idsOf(agents.list({ limit: 2 }))
    expect(listed.filter((each) => made.includes(each))).toEqual(
      made.filter((each) => each !== archived).reverse(),
    )
    expect(await idsOf(agents.list({ limit: 2, include_archived: true }))).toContain(archived)
  })

  test('environments', async () => {
    const { environments } = client.beta
    const config = {
      type: 'cloud' as const,
      networking: { type: 'limited' as const, allowed_hosts: ['example.com'] },
    }
    const made = await environments.create({ name: freshName('env'), config })
    expect(made.config).toMatchObject({
      networking: { allowed_hosts: ['example.com'], allow_package_managers: false },
      packages: { npm: [], pip: [] },
    })
    expect(await environments.retrieve(made.id)).toEqual(made)
    const updated = await environments.update(made.id, { description: 'd', metadata: { a: 'b' } })
    expect(updated).toMatchObject({ description: 'd', metadata: { a: 'b' }, config: made.config })
    const others = [freshName('env'), freshName('env'), freshName('env')]
    for (const name of others) await environments.create({ name })
    expect(await idsOf(environments.list({ limit: 1 }))).toContain(made.id)
    expect((await environments.archive(made.id)).archived_at).toEqual(expect.any(String))
    expect(await idsOf(environments.list({ limit: 1 }))).not.toContain(made.id)
    expect(await environments.delete(made.id)).toEqual({ id: made.id, type: 'environment_deleted' })
  })

  test('skills', async () => {
    const { skills } = client.beta
    const skill = thing.parse(await skills.create({ files: skillFiles('tables', 'Makes tables.') }))
    const next = thing.parse(
      await skills.versions.create(skill.id, { files: skillFiles('tables', 'Makes charts.') }),
    )
    const skill_id = skill.id
    // The oldest client calls the ids of versions by another name.
    expect(await skills.retrieve(skill_id)).toMatchObject({
      latest_version: next.id,
      latest_version_id: next.id,
    })
    expect(await skills.versions.retrieve('latest', { skill_id })).toMatchObject({
      id: next.id,
      description: 'Makes charts.',
    })
    expect(await idsOf(skills.list({ limit: 1 }))).toContain(skill_id)
    const versions = await idsOf(skills.versions.list(skill_id, { limit: 1 }))
    expect(versions).toEqual([next.id, expect.any(String)])
    if (version.hasWork) {
      const archive = await skills.versions.download(next.id, { skill_id })
      expect((await archive.bytes()).subarray(0, 2)).toEqual(new Uint8Array([0x50, 0x4b]))
    }
    await skills.versions.delete(next.id, { skill_id })
    await skills.delete(skill_id)
    await expect(skills.retrieve(skill_id)).rejects.toBeInstanceOf(version.errors.NotFoundError)
  })

  test('memory stores', async () => {
    const { memoryStores } = client.beta
    const { memories, memoryVersions } = memoryStores
    const { id: memory_store_id } = await memoryStores.create({ name: 'Notes' })
    await memoryStores.update(memory_store_id, { description: 'd' })
    expect(await memoryStores.retrieve(memory_store_id)).toMatchObject({ description: 'd' })
    expect(await idsOf(memoryStores.list({ limit: 1 }))).toContain(memory_store_id)
    const made = await memories.create(memory_store_id, { path: '/a/b', content: 'one' })
    const { id } = made
    await memories.update(id, { memory_store_id, content: 'two' })
    expect(await memories.retrieve(id, { memory_store_id })).toMatchObject({ content: 'two' })
    const { data } = await memories.list(memory_store_id, { depth: 1 })
    expect(data).toEqual([{ type: 'memory_prefix', path: '/a/' }])
    expect(await idsOf(memoryVersions.list(memory_store_id, { limit: 1 }))).toHaveLength(2)
    const first = made.memory_version_id
    await memoryVersions.redact(first, { memory_store_id })
    expect(await memoryVersions.retrieve(first, { memory_store_id })).toMatchObject({
      content: null,
      operation: 'created',
    })
    await memories.delete(id, { memory_store_id })
    await memoryStores.archive(memory_store_id)
    await memoryStores.delete(memory_store_id)
  })

  test('vaults and credentials', async () => {
    const { vaults } = client.beta
    const vault = await vaults.create({ display_name: 'keys', metadata: { a: 'b' } })
    for (let count = 0; count < 3; count++) await vaults.create({ display_name: `v${count}` })
    expect(await vaults.retrieve(vault.id)).toEqual(vault)
    expect(await vaults.update(vault.id, { display_name: 'mine' })).toMatchObject({
      display_name: 'mine',
      metadata: { a: 'b' },
    })
    expect(await idsOf(vaults.list({ limit: 1 }))).toContain(vault.id)
    const { credentials } = vaults
    const vault_id = vault.id
    const auths = [
      { type: 'static_bearer' as const, mcp_server_url: 'https://a.example/mcp', token: 'SECRET' },
      {
        type: 'mcp_oauth' as const,
        mcp_server_url: 'https://b.example/mcp',
        access_token: 'SECRET',
        refresh: {
          client_id: 'c',
          refresh_token: 'SECRET',
          token_endpoint: 'https://b.example/token',
          token_endpoint_auth: { type: 'client_secret_basic' as const, client_secret: 'SECRET' },
        },
      },
      {
        type: 'environment_variable' as const,
        secret_name: 'API_TOKEN',
        secret_value: 'SECRET',
        networking: { type: 'limited' as const, allowed_hosts: ['api.example.com'] },
      },
    ]
    const made = []
    for (const auth of auths) made.push(await credentials.create(vault_id, { auth }))
    const [bearer, oauth, variable] = made.map(({ id }) => id)
    if (bearer === undefined || oauth === undefined || variable === undefined)
      throw new Error('no credentials')
    expect(await idsOf(credentials.list(vault_id, { limit: 1 }))).toHaveLength(3)
    const updated = await credentials.update(bearer, {
      vault_id,
      display_name: 'bearer',
      auth: { type: 'static_bearer', token: 'SECRET2' },
    })
    expect(await credentials.retrieve(bearer, { vault_id })).toEqual(updated)
    if (version.hasWork) {
      const tried = await credentials.mcpOAuthValidate(oauth, { vault_id })
      expect(tried).toMatchObject({ credential_id: oauth, has_refresh_token: true })
    }
    expect((await credentials.archive(variable, { vault_id })).archived_at).not.toBeNull()
    expect(await credentials.delete(oauth, { vault_id })).toMatchObject({
      type: 'vault_credential_deleted',
    })
    expect(JSON.stringify([made, updated])).not.toContain('SECRET')
    expect((await vaults.archive(vault_id)).archived_at).not.toBeNull()
    expect(await vaults.delete(vault_id)).toEqual({ id: vault_id, type: 'vault_deleted' })
  })

  test('files: upload, metadata, list over pages, download, delete', async () => {
    const { files } = client.beta
    const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => index % 256)
    const made: string[] = []
    for (let count = 0; count < 5; count++) {
      const file = new File([bytes.slice(count)], `day ${count} "ü".bin`)
      made.push((await files.upload({ file })).id)
    }
    const [id = '', second = ''] = made
    expect(await files.retrieveMetadata(id)).toMatchObject({
      filename: 'day 0 "ü".bin',
      size_bytes: 70_000,
      type: 'file',
    })
    const listed = await idsOf(files.list({ limit: 2 }))
    expect(listed.filter((each) => made.includes(each))).toEqual(made.toReversed())
    const content = await files.download(id)
    expect(Buffer.from(await content.arrayBuffer()).equals(bytes)).toBe(true)
    expect(await files.delete(second)).toEqual({ id: second, type: 'file_deleted' })
    await expect(files.download(second)).rejects.toBeInstanceOf(version.errors.NotFoundError)
  })

  test('sessions, resources and threads', async () => {
    const { sessions } = client.beta
    const file = await client.beta.files.upload({ file: new File(['notes'], 'notes.txt') })
    const { session, agent, environment } = await makeScripted(world, client, [{ says: 'Yes.' }], {
      session: {
        title: 'First',
        metadata: { a: 'b' },
        resources: [
          { type: 'file', file_id: file.id },
          {
            type: 'github_repository',
            url: 'https://github.com/acme/tools',
            authorization_token: 'SECRET',
          },
        ],
      },
    })
    expect(await sessions.retrieve(session.id)).toMatchObject({
      status: 'idle',
      title: 'First',
      agent: { id: agent.id, version: 1 },
    })
    expect(await sessions.update(session.id, { title: 'Second' })).toMatchObject({
      title: 'Second',
    })
    const others: string[] = []
    for (let count = 0; count < 4; count++) {
      const made = await sessions.create({
        agent: { type: 'agent', id: agent.id, version: 1 },
        environment_id: environment.id,
      })
      others.push(made.id)
    }
    const ofAgent = { agent_id: agent.id, limit: 2 }
    expect(await idsOf(sessions.list(ofAgent))).toEqual([...others.toReversed(), session.id])
    expect(await idsOf(sessions.list({ ...ofAgent, order: 'asc' }))).toEqual([
      session.id,
      ...others,
    ])

    const { resources } = sessions
    const session_id = session.id
    const added = await resources.add(session_id, {
      type: 'file',
      file_id: file.id,
      mount_path: '/mnt/session/uploads/again.txt',
    })
    const listed = await idsOf(resources.list(session_id, { limit: 1 }))
    expect(listed).toHaveLength(3)
    const repository = listed[1] ?? ''
    const updated = await resources.update(repository, {
      session_id,
      authorization_token: 'SECRET',
    })
    expect(await resources.retrieve(repository, { session_id })).toEqual(updated)
    expect(JSON.stringify(updated)).not.toContain('SECRET')
    expect(await resources.delete(added.id, { session_id })).toMatchObject({ id: added.id })

    const { threads } = sessions
    const [thread_id = ''] = await idsOf(threads.list(session_id))
    expect(await threads.retrieve(thread_id, { session_id })).toMatchObject({
      session_id,
      status: 'idle',
    })
    const ofThread = await threads.events.stream(thread_id, { session_id })
    await sessions.events.send(session_id, { events: [say('hello')] })
    const seen = await readUntil(ofThread, isTurnEnd)
    const logged = await idsOf(sessions.events.list(session_id, { limit: 2 }))
    expect(logged.length).toBeGreaterThan(4)
    expect(seen.flatMap((event) => ('id' in event ? [event.id] : []))).toEqual(logged.slice(1))
    expect(await idsOf(threads.events.list(thread_id, { session_id, limit: 2 }))).toEqual(logged)
    await expect(threads.archive(thread_id, { session_id })).rejects.toBeInstanceOf(
      version.errors.BadRequestError,
    )

    expect((await sessions.archive(session_id)).archived_at).not.toBeNull()
    expect(await idsOf(sessions.list(ofAgent))).toEqual(others.toReversed())
    expect(await sessions.delete(session_id)).toEqual({ id: session_id, type: 'session_deleted' })
    await expect(sessions.retrieve(session_id)).rejects.toBeInstanceOf(version.errors.NotFoundError)
  })

  test.runIf(version.hasWork)('the work queue', async () => {
    const { environments, sessions } = client.beta
    const { work } = environments
    const { session, agent, environment } = await makeScripted(world, client, [], {
      config: { type: 'self_hosted' },
    })
    const environment_id = environment.id
    await sessions.create({ agent: agent.id, environment_id })
    expect(await work.stats(environment_id)).toMatchObject({ depth: 2 })
    const item = await work.poll(environment_id, { block_ms: 999 })
    if (item === null) throw new Error('nothing in the queue')
    expect(item.data).toEqual({ type: 'session', id: session.id })
    expect(await work.ack(item.id, { environment_id })).toMatchObject({ state: 'starting' })
    const beat = await work.heartbeat(item.id, {
      environment_id,
      expected_last_heartbeat: 'NO_HEARTBEAT',
      desired_ttl_seconds: 60,
    })
    expect(beat).toMatchObject({ lease_extended: true, ttl_seconds: 60 })
    const noted = await work.update(item.id, { environment_id, metadata: { host: 'a' } })
    expect(await work.retrieve(item.id, { environment_id })).toEqual(noted)
    expect(await work.stop(item.id, { environment_id, force: true })).toMatchObject({
      state: 'stopped',
    })
    expect(await idsOf(work.list(environment_id, { limit: 1 }))).toHaveLength(2)
  })

  test('models', async () => {
    const { models } = client.beta
    const [first = ''] = await idsOf(models.list({ limit: 1 }))
    expect(await models.retrieve(first)).toMatchObject({ id: first, type: 'model' })
  })

  test.runIf(version.hasWork)('deployments', async () => {
    const { deployments, deploymentRuns } = client.beta
    const { agent, environment } = await makeScripted(world, client, [])
    const made = await deployments.create({
      name: 'Mail',
      agent: agent.id,
      environment_id: environment.id,
      initial_events: [{ type: 'user.message', content: [{ type: 'text', text: 'Sort it.' }] }],
    })
    const updated = await deployments.update(made.id, { name: 'Letters' })
    expect(updated).toMatchObject({ id: made.id, name: 'Letters' })
    expect(await deployments.retrieve(made.id)).toEqual(updated)
    expect(await idsOf(deployments.list({ limit: 1 }))).toContain(made.id)
    expect(await deployments.pause(made.id)).toMatchObject({ status: 'paused' })
    expect(await deployments.unpause(made.id)).toMatchObject({ status: 'active' })
    const run = await deployments.run(made.id)
    expect(run).toMatchObject({ deployment_id: made.id, error: null })
    expect(await deploymentRuns.retrieve(run.id)).toEqual(run)
    expect(await idsOf(deploymentRuns.list({ deployment_id: made.id }))).toEqual([run.id])
    expect(await deployments.archive(made.id)).toMatchObject({ archived_at: expect.any(String) })
  })

  test.runIf(version.hasWork)('webhooks', async () => {
    const { webhooks } = client.beta.organization
    // The types of the client only know the events of user profiles.
    const wanted = z.custom<Anthropic.Beta.Organization.WebhookCreateParams>()
    const given = { url: 'https://example.com/hook', enabled_events: ['agent.created'] }
    const made = thing.parse(await webhooks.create(wanted.parse(given)))
    expect(await webhooks.update(made.id, { name: 'Off', state: 'disabled' })).toMatchObject({
      state: 'disabled',
    })
    expect(await webhooks.retrieve(made.id)).toMatchObject({ name: 'Off' })
    expect(await idsOf(webhooks.list({ limit: 1 }))).toContain(made.id)
    expect(await webhooks.regenerateSigningSecret(made.id)).toMatchObject({
      signing_secret: expect.stringContaining('whsec_'),
    })
    await webhooks.delete(made.id)
    await expect(webhooks.retrieve(made.id)).rejects.toMatchObject({ status: 404 })
  })

  test('covers every call, and each response matched the contract', () => {
    const all = Object.entries(HOSTED_API)
      .filter(isCalled)
      .map(([name]) => name)
    // Every other test reads a session's stream.
    done.add('streamEvents')
    const known = version.hasWork ? all : all.filter((name) => !LATER.includes(name))
    expect([...done].toSorted()).toEqual(known.toSorted())
    expect(faults).toEqual([])
  })
})
