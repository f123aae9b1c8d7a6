import type Anthropic from '@anthropic-ai/sdk'
import { signRequest } from '@steward/engine'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { startTestApi, type TestApi } from '../serve/testing/start-test-api.ts'
import { upcomingRuns } from './deployment-schedule.ts'
import { runOneDue } from './run-deployment.ts'
import { startSchedule } from './start-schedule.ts'

const HOUR_MS = 3_600_000
let world: TestApi
let agent: Anthropic.Beta.BetaManagedAgentsAgent
let environment: Anthropic.Beta.BetaEnvironment
beforeAll(async () => {
  world = await startTestApi()
  agent = await world.client.beta.agents.create({ name: 'Clerk', model: 'claude-sonnet-5-5' })
  environment = await world.client.beta.environments.create({ name: 'office' })
})
afterAll(async () => {
  expect(world.failures).toEqual([])
  await world.stop()
})

const SAY: Anthropic.Beta.BetaManagedAgentsDeploymentInitialEventParams = {
  type: 'user.message',
  content: [{ type: 'text', text: 'Sort the mail.' }],
}
const HOURLY = { type: 'cron', expression: '0 * * * *', timezone: 'UTC' } as const

const deploy = (given: Partial<Anthropic.Beta.DeploymentCreateParams> = {}) =>
  world.client.beta.deployments.create({
    name: 'Mail',
    agent: agent.id,
    environment_id: environment.id,
    initial_events: [SAY],
    ...given,
  })
const runDue = () => world.database.write(() => runOneDue(world.ports, world.clock.nowMs))
const runsOf = async (deployment_id: string) =>
  (await world.client.beta.deploymentRuns.list({ deployment_id })).data

test('a manual run creates a session with the events, the budget and the resources', async () => {
  const { beta } = world.client
  const made = await deploy({
    initial_events: [SAY, { type: 'system.message', content: [{ type: 'text', text: 'Hush.' }] }],
    resources: [
      { type: 'github_repository', url: 'https://example.com/r.git', authorization_token: 'ghp_s' },
    ],
    budget: { type: 'limit', max_list_cost: { amount: '500', currency: 'USD' } },
  })
  expect(made).toMatchObject({
    agent: { id: agent.id, type: 'agent', version: 1 },
    status: 'active',
    schedule: null,
  })
  expect(JSON.stringify(made)).not.toContain('ghp_s')
  await beta.agents.update(agent.id, { system: 'newer' })
  const run = await beta.deployments.run(made.id)
  expect(run).toMatchObject({ trigger_context: { type: 'manual' }, error: null })
  const session = await beta.sessions.retrieve(run.session_id ?? '')
  expect(session).toMatchObject({
    agent: { version: 1 },
    deployment_id: made.id,
    budget: made.budget,
    resources: [{ type: 'github_repository', url: 'https://example.com/r.git' }],
  })
  const events = await beta.sessions.events.list(session.id)
  expect(events.data.map(({ type }) => type)).toEqual(['user.message', 'system.message'])
  expect((await beta.sessions.list({ deployment_id: made.id })).data).toHaveLength(1)
  expect(await beta.deploymentRuns.retrieve(run.id)).toEqual(run)
})

test('a schedule runs once per due time, also with several processes and after a stop', async () => {
  const made = await deploy({ schedule: HOURLY })
  expect(made.schedule?.upcoming_runs_at?.[0]).toBe('2026-11-15T13:00:00.000Z')
  expect(await runDue()).toBeUndefined()
  world.clock.nowMs = Date.UTC(2026, 10, 15, 13, 0, 5)
  const runs = await Promise.all([runDue(), runDue(), runDue(), runDue()])
  expect(runs.filter((run) => run !== undefined)).toHaveLength(1)
  expect(await runsOf(made.id)).toMatchObject([
    { trigger_context: { type: 'schedule', scheduled_at: '2026-11-15T13:00:00.000Z' } },
  ])
  // Nothing ran for a night; the missed times count once.
  world.clock.nowMs += 12.5 * HOUR_MS
  await runDue()
  expect(await runDue()).toBeUndefined()
  const [newest] = await runsOf(made.id)
  expect(newest?.trigger_context).toEqual({
    type: 'schedule',
    scheduled_at: '2026-11-16T01:00:00.000Z',
  })
  const after = await world.client.beta.deployments.retrieve(made.id)
  expect(after.schedule?.last_run_at).toBe(new Date(world.clock.nowMs).toISOString())
  await world.client.beta.deployments.archive(made.id)
})

test('a crash before the commit leaves the time due, and no session', async () => {
  const made = await deploy({ schedule: HOURLY })
  world.clock.nowMs += HOUR_MS
  const crashing = world.database.write(function* () {
    yield* runOneDue(world.ports, world.clock.nowMs)
    throw new Error('killed')
  })
  await expect(crashing).rejects.toThrow('killed')
  expect(await runsOf(made.id)).toEqual([])
  expect((await world.client.beta.sessions.list({ deployment_id: made.id })).data).toEqual([])
  await runDue()
  expect(await runsOf(made.id)).toHaveLength(1)
  await world.client.beta.deployments.archive(made.id)
})

test('pausing stops the schedule, and missed times are not made up for', async () => {
  const { deployments } = world.client.beta
  const made = await deploy({ schedule: HOURLY })
  expect(await deployments.pause(made.id)).toMatchObject({
    status: 'paused',
    paused_reason: { type: 'manual' },
  })
  world.clock.nowMs += 3 * HOUR_MS
  expect(await runDue()).toBeUndefined()
  expect((await deployments.list({ status: 'paused' })).data.map(({ id }) => id)).toEqual([made.id])
  expect(await deployments.run(made.id)).toMatchObject({ error: null })
  expect(await deployments.unpause(made.id)).toMatchObject({ status: 'active' })
  expect(await runDue()).toBeUndefined()
  await deployments.archive(made.id)
  expect(await deployments.retrieve(made.id)).toMatchObject({ schedule: { upcoming_runs_at: [] } })
  await expect(deployments.run(made.id)).rejects.toMatchObject({ status: 409 })
})

test('a run that cannot create a session is recorded, and pauses the schedule', async () => {
  const { beta } = world.client
  const place = await beta.environments.create({ name: 'short-lived' })
  const made = await deploy({ schedule: HOURLY, environment_id: place.id })
  await beta.environments.archive(place.id)
  expect(await beta.deployments.run(made.id)).toMatchObject({
    session_id: null,
    error: { type: 'environment_archived_error' },
  })
  expect(await beta.deployments.retrieve(made.id)).toMatchObject({ status: 'active' })
  world.clock.nowMs += HOUR_MS
  await runDue()
  expect(await beta.deployments.retrieve(made.id)).toMatchObject({
    status: 'paused',
    paused_reason: { type: 'error', error: { type: 'environment_archived_error' } },
  })
  const failed = await beta.deploymentRuns.list({ deployment_id: made.id, has_error: true })
  expect(failed.data).toHaveLength(2)
  await beta.deployments.update(made.id, { environment_id: environment.id, schedule: null })
  expect(await beta.deployments.unpause(made.id)).toMatchObject({ schedule: null })
})

test('the scheduler looks by its timer and ends with its work', async () => {
  const made = await deploy({ schedule: HOURLY })
  let look = (): void => undefined
  const stop = startSchedule({
    ...world.ports,
    repeat: (_, action) => {
      look = action
      return () => undefined
    },
  })
  world.clock.nowMs += HOUR_MS
  look()
  await expect.poll(() => runsOf(made.id)).toHaveLength(1)
  await stop()
  await world.client.beta.deployments.archive(made.id)
})

const webhookOf = z.object({ path: z.string(), secret: z.string() })

test('a signed webhook runs it once per delivery, and shows the agent what was sent', async () => {
  const { beta } = world.client
  const made = await deploy()
  const place = `/v1/steward/deployments/${made.id}/webhook`
  const headers = { 'anthropic-beta': 'managed-agents-2026-04-01' }
  const { path, secret } = webhookOf.parse(await world.client.post(place, { body: {}, headers }))
  const body = new TextEncoder().encode('{"pushed":"main"}')
  const send = async (id: string, key = secret) => {
    const signed = { body, id, nowMs: world.clock.nowMs }
    const result = await signRequest({ scheme: 'standard' }, key, signed)
    if (!result.ok) throw result.error
    const response = await fetch(`${world.address}${path}`, {
      method: 'POST',
      headers: { ...result.value, 'content-type': 'application/json' },
      body,
    })
    return { status: response.status, text: await response.text() }
  }
  const first = await send('msg_1')
  expect(first.status).toBe(200)
  expect(await send('msg_1')).toEqual(first)
  expect((await send('msg_2')).status).toBe(200)
  expect((await send('msg_3', 'whsec_AAAA')).status).toBe(401)
  const runs = await runsOf(made.id)
  expect(runs).toHaveLength(2)
  const events = await beta.sessions.events.list(runs[0]?.session_id ?? '')
  expect(JSON.stringify(events.data)).toContain('{\\"pushed\\":\\"main\\"}')
  await world.client.delete(place, { headers })
  expect((await send('msg_4')).status).toBe(404)
})

test.each([
  ['61 * * * *', 'minute: found 61'],
  ['@daily', 'has 1 fields'],
  ['0 0 L * *', "day of month: found 'L'"],
])('refuses the expression %s', async (expression, message) => {
  await expect(deploy({ schedule: { ...HOURLY, expression } })).rejects.toThrow(message)
})

test('refuses unknown time zones, and vaults for keys without the scope', async () => {
  await expect(deploy({ schedule: { ...HOURLY, timezone: 'Mars/Base' } })).rejects.toMatchObject({
    status: 400,
  })
  const vault = await world.client.beta.vaults.create({ display_name: 'v' })
  const writer = world.clientWith(await world.makeKey({ scope: 'write' }))
  const wanted = { name: 'x', agent: agent.id, environment_id: environment.id }
  await expect(
    writer.beta.deployments.create({ ...wanted, initial_events: [SAY], vault_ids: [vault.id] }),
  ).rejects.toMatchObject({ status: 403 })
})

test('Sunday is 0 or 7, also in ranges and steps, by the wall clock of the zone', () => {
  const days = (field: string) =>
    upcomingRuns({ ...HOURLY, expression: `0 9 * * ${field}` }, Date.UTC(2026, 10, 16), 7).map(
      (ms) => new Date(ms).getUTCDay(),
    )
  expect(days('7')).toEqual([0, 0, 0, 0, 0, 0, 0])
  expect(days('5-7')).toEqual([5, 6, 0, 5, 6, 0, 5])
  expect(days('1-7/3')).toEqual([1, 4, 0, 1, 4, 0, 1])
  const berlin = { type: 'cron', expression: '0 9 * * *', timezone: 'Europe/Berlin' } as const
  expect(upcomingRuns(berlin, Date.UTC(2026, 6, 1), 1)).toEqual([Date.UTC(2026, 6, 1, 7)])
})
