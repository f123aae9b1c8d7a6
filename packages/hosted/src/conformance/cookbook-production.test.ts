import { mkdtemp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type Anthropic from '@anthropic-ai/sdk'
import { hostedSettings } from '@steward/contract'
import { afterAll, expect, test } from 'vitest'
import { serveMcp } from '../brain/mcp/testing/serve-mcp.ts'
import { isTurnEnd, readUntil, say, sendAndRead, textsOf } from './testing/follow.ts'
import { receiveWebhooks, subscribe } from './testing/receive-webhooks.ts'
import {
  ALLOWED,
  bash,
  call,
  customTool,
  pick,
  pollUntilIdle,
  startRecipes,
  toolResult,
} from './testing/start-recipes.ts'

// Recipes for programs that run unattended: credentials, webhooks, versions, schedules, own workers.

const mcp = await serveMcp()
const receiver = await receiveWebhooks()
// Hooks run in reverse order: the server ends first.
afterAll(async () => {
  await receiver.stop()
  await mcp.close()
})
const recipes = await startRecipes({
  settings: hostedSettings.parse({
    mcpPrivateHosts: [mcp.host],
    webhookPrivateHosts: [receiver.host],
  }),
})
const { client, environment_id } = recipes
const { signing_secret: key } = await subscribe(
  client,
  receiver.url,
  ['run_started', 'idled', 'terminated'].map((name) => `session.status_${name}`),
)

const ask = (sessionId: string, text: string) =>
  sendAndRead(client, sessionId, [say(text)], isTurnEnd)

test('production: a vault per user, an MCP server, and clean-up afterwards', async () => {
  const vault = await client.beta.vaults.create({
    display_name: 'Ada',
    metadata: { user: 'u1' },
  })
  mcp.wantsToken = 'token-of-ada'
  const credential = await client.beta.vaults.credentials.create(vault.id, {
    display_name: 'notes',
    auth: { type: 'static_bearer', mcp_server_url: mcp.url, token: 'token-of-ada' },
  })
  const agent = await recipes.makeAgent(
    [call('mcp__notes__note', { text: 'buy ink' }), { says: 'Noted.' }],
    {
      mcp_servers: [{ type: 'url', name: 'notes', url: mcp.url }],
      tools: [
        {
          type: 'mcp_toolset',
          mcp_server_name: 'notes',
          default_config: { enabled: true, permission_policy: { type: 'always_allow' } },
        },
      ],
    },
  )
  const session = await client.beta.sessions.create({
    agent: agent.pinned,
    environment_id,
    vault_ids: [vault.id],
  })
  const seen = await ask(session.id, 'Remember the ink.')
  expect(pick(seen, 'agent.mcp_tool_use')).toMatchObject([
    { name: 'note', mcp_server_name: 'notes' },
  ])
  expect(JSON.stringify(pick(seen, 'agent.mcp_tool_result'))).toContain('kept buy ink')
  expect(mcp.notes).toEqual(['buy ink'])
  const logged = (await client.beta.sessions.events.list(session.id, { limit: 1000 })).data
  expect(JSON.stringify([logged, agent.asked(), credential])).not.toContain('token-of-ada')

  await client.beta.sessions.archive(session.id)
  await client.beta.agents.archive(agent.id)
  await client.beta.vaults.credentials.archive(credential.id, { vault_id: vault.id })
  expect((await client.beta.vaults.archive(vault.id)).archived_at).not.toBeNull()
  await expect(client.beta.sessions.create({ agent: agent.id, environment_id })).rejects.toThrow(
    'archived',
  )
})

test('production: a webhook reports that a person is needed, without an open connection', async () => {
  const agent = await recipes.makeAgent(
    [call('escalate', { question: 'Refund 90?' }), { says: 'Refunded.' }],
    { tools: [customTool('escalate', 'question')] },
  )
  const session = await client.beta.sessions.create({ agent: agent.id, environment_id })
  await client.beta.sessions.events.send(session.id, { events: [say('Refund order 4.')] })
  await receiver.wait(client, key, 'session.status_idled', session.id)
  const { data } = await client.beta.sessions.events.list(session.id)
  const waiting = data.find(({ type }) => type === 'agent.custom_tool_use')
  expect(waiting).toMatchObject({ name: 'escalate', input: { question: 'Refund 90?' } })
  await client.beta.sessions.events.send(session.id, {
    events: [toolResult(waiting?.id ?? '', 'yes')],
  })
  const [first, second] = await receiver.wait(client, key, 'session.status_idled', session.id, 2)
  expect(first?.id).not.toBe(second?.id)
  const { events } = await pollUntilIdle(client, session.id, data.length)
  expect(JSON.stringify(events)).toContain('Refunded.')
  const [delivery] = receiver.received
  const { body = '', headers = {} } = delivery ?? {}
  expect(() => client.beta.webhooks.unwrap(`${body} `, { headers, key })).toThrow()
})

test('versions: a new prompt is shipped, regresses, and sessions return to the old one', async () => {
  const agent = await recipes.makeAgent([{ says: 'billing' }], { tools: [] })
  const worse = recipes.world.model.script({ says: 'I am not sure.' })
  const next = await client.beta.agents.update(agent.id, { version: 1, system: worse })
  expect(next.version).toBe(2)
  await expect(
    client.beta.agents.update(agent.id, { version: 1, system: 'late' }),
  ).rejects.toMatchObject({ status: 409 })
  const classify = async (version?: number) => {
    const session = await client.beta.sessions.create({
      agent: version === undefined ? agent.id : { type: 'agent', id: agent.id, version },
      environment_id,
    })
    expect(session.agent.version).toBe(version ?? 2)
    return textsOf(await ask(session.id, 'My invoice is wrong.')).join('')
  }
  expect(await classify()).toBe('I am not sure.')
  expect(await classify(1)).toBe('billing')
  const versions = await client.beta.agents.versions.list(agent.id)
  expect(versions.data.map(({ version }) => version)).toEqual([2, 1])
})

test('chat bot: one session per conversation, answers by webhook, repeated events are recognised', async () => {
  const agent = await recipes.makeAgent([
    bash('sort -n /mnt/session/uploads/data.csv | tail -1 > /mnt/session/outputs/highest.txt'),
    { says: 'The highest is 31.' },
    bash('cat /mnt/session/outputs/highest.txt'),
    { says: 'Still 31.' },
  ])
  const sessions = new Map<string, string>()
  const posted: string[] = []
  const handled = new Set<string>()
  const onMention = async (thread: string, text: string, csv?: string) => {
    const known = sessions.get(thread)
    const session =
      known ??
      (
        await client.beta.sessions.create({
          agent: agent.pinned,
          environment_id,
          metadata: { adapter: 'chat', thread },
          resources: [
            {
              type: 'file',
              file_id: await recipes.upload('data.csv', csv ?? ''),
              mount_path: '/mnt/session/uploads/data.csv',
            },
          ],
        })
      ).id
    sessions.set(thread, session)
    await client.beta.sessions.events.send(session, { events: [say(text)] })
    return session
  }
  const onWebhook = async ({ id, data }: Anthropic.Beta.BetaWebhookEvent) => {
    if (handled.has(id)) return
    handled.add(id)
    const { metadata } = await client.beta.sessions.retrieve(data.id)
    if (metadata.adapter !== 'chat') return
    const texts: string[] = []
    for await (const event of client.beta.sessions.events.list(data.id))
      if (event.type === 'agent.message')
        for (const block of event.content) if ('text' in block) texts.push(block.text)
    posted.push(`${metadata.thread}: ${texts.at(-1)}`)
  }
  const session = await onMention('t1', 'Which value is highest?', '8\n31\n12\n')
  for (const event of await receiver.wait(client, key, 'session.status_idled', session))
    await onWebhook(event)
  expect(await onMention('t1', 'Are you sure?')).toBe(session)
  const both = await receiver.wait(client, key, 'session.status_idled', session, 2)
  for (const event of [...both, ...both]) await onWebhook(event)
  expect(posted).toEqual(['t1: The highest is 31.', 't1: Still 31.'])
  const outputs = await client.beta.files.list({ scope_id: session })
  const results = outputs.data.filter(({ downloadable }) => downloadable)
  expect(results.map(({ filename }) => filename)).toEqual(['highest.txt'])
})

test('scheduled report: a deployment with a secret, run by hand, then updated and paused', async () => {
  const vault = await client.beta.vaults.create({ display_name: 'Tracker' })
  await client.beta.vaults.credentials.create(vault.id, {
    auth: {
      type: 'environment_variable',
      secret_name: 'TRACKER_TOKEN',
      secret_value: 'real-secret',
      networking: { type: 'limited', allowed_hosts: ['tracker.example.com'] },
    },
  })
  const agent = await recipes.makeAgent([
    bash('echo "token $TRACKER_TOKEN" > /mnt/session/outputs/report.md'),
    { says: 'Reported.' },
  ])
  const deployment = await client.beta.deployments.create({
    name: 'Morning report',
    agent: agent.id,
    environment_id,
    vault_ids: [vault.id],
    initial_events: [{ type: 'user.message', content: [{ type: 'text', text: 'Report.' }] }],
    schedule: { type: 'cron', expression: '0 9 * * 1-5', timezone: 'Europe/Berlin' },
  })
  expect(deployment.schedule?.upcoming_runs_at).not.toEqual([])
  const run = await client.beta.deployments.run(deployment.id)
  expect(run.trigger_context.type).toBe('manual')
  const session = run.session_id ?? ''
  await pollUntilIdle(client, session)
  const [report] = (await client.beta.files.list({ scope_id: session })).data
  const text = await (await client.files.download(report?.id ?? '')).text()
  // The sandbox only has a placeholder.
  expect(text).toMatch(/^token \w{20,}/)
  expect(text).not.toContain('real-secret')

  const newer = await client.beta.agents.update(agent.id, { version: 1, description: 'Shorter.' })
  const pinned = { type: 'agent' as const, id: agent.id, version: newer.version }
  expect(
    (await client.beta.deployments.update(deployment.id, { agent: pinned })).agent,
  ).toMatchObject({ version: 2 })
  expect(
    (await client.beta.deploymentRuns.list({ deployment_id: deployment.id })).data,
  ).toHaveLength(1)
  expect((await client.beta.deployments.pause(deployment.id)).status).toBe('paused')
  await client.beta.deployments.archive(deployment.id)
})

test('own sandbox: a webhook wakes a worker that drains the queue', async () => {
  const environment = await client.beta.environments.create({
    name: 'own machines',
    config: { type: 'self_hosted' },
  })
  const environmentId = environment.id
  const environmentKey = await recipes.world.makeKey({ scope: 'environment', environmentId })
  const agent = await recipes.makeAgent([bash('echo here > where.txt'), { says: 'Done.' }], {
    tools: [ALLOWED],
  })
  const session = await client.beta.sessions.create({
    agent: agent.id,
    environment_id: environmentId,
  })
  const stream = await client.beta.sessions.events.stream(session.id)
  await client.beta.sessions.events.send(session.id, { events: [say('Write it down.')] })
  await receiver.wait(client, key, 'session.status_run_started', session.id)
  const workdir = await mkdtemp(join(recipes.world.folder, 'own-'))
  const { work } = client.beta.environments
  for await (const item of work.poller({
    environmentId,
    environmentKey,
    drain: true,
    autoStop: false,
  }))
    await work.worker({ workdir, maxIdleMs: 200 }).handleItem({
      workId: item.id,
      environmentId,
      sessionId: item.data.id,
      workSecret: item.secret ?? '',
    })
  expect(textsOf(await readUntil(stream, isTurnEnd))).toEqual(['Done.'])
  expect(await readFile(join(workdir, 'where.txt'), 'utf8')).toBe('here\n')
})
