import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type Anthropic from '@anthropic-ai/sdk'
import { createGuardedFetch } from '@steward/platform'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { appendEvents } from '../log/append-events.ts'
import { startTestApi, type TestApi } from '../serve/testing/start-test-api.ts'
import { makeSession } from '../sessions/testing/make-session.ts'
import { type SendPorts, sendSome } from './send-webhooks.ts'

interface Received {
  body: string
  headers: IncomingHttpHeaders
}
let received: Received[] = []
let status = 200
const receiver = createServer(async (incoming, outgoing) => {
  const chunks: Uint8Array[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  received.push({ body: Buffer.concat(chunks).toString(), headers: incoming.headers })
  outgoing.writeHead(status).end()
})
let world: TestApi
let address: string
let ports: SendPorts
beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${z.custom<AddressInfo>().parse(receiver.address()).port}/hook`
  world = await startTestApi()
  // Signatures carry the time, and the client compares it with its own clock.
  world.clock.nowMs = Date.now()
  const fetch = createGuardedFetch({ allowPrivateHosts: ['127.0.0.1'] })
  ports = { ...world.ports, fetch }
})
afterAll(async () => {
  expect(world.failures).toEqual([])
  await world.stop()
  receiver.close()
})
beforeEach(() => {
  received = []
  status = 200
})

const headers = { 'anthropic-beta': 'webhooks-2026-10-07' }
const made = z.object({ id: z.string(), signing_secret: z.string() })
type Wanted = Anthropic.Beta.Organization.WebhookCreateParams

/** The types of the client only know the events of user profiles. */
const subscribe = async (enabled_events: readonly string[], url = address) =>
  made.parse(
    await world.client.beta.organization.webhooks.create(
      z.custom<Wanted>().parse({ url, enabled_events }),
    ),
  )
const deliveries = z.object({
  data: z.array(
    z.looseObject({
      state: z.string(),
      attempts: z.number(),
      last_result: z.string().nullable(),
      next_attempt_at: z.string().nullable(),
    }),
  ),
})
const deliveriesTo = async (id: string) =>
  deliveries.parse(
    await world.client.get(`/v1/steward/webhook_deliveries?endpoint_id=${id}`, { headers }),
  ).data
const asText = (given: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]))
const sendAll = async (): Promise<void> => {
  while ((await sendSome(ports)) > 0);
}

test('a session sends its events to an address, signed as the client expects', async () => {
  const { id, signing_secret } = await subscribe([
    'session.created',
    'session.status_idled',
    'session.requires_action',
    'agent.created',
  ])
  const session = await makeSession(world)
  const reason = { type: 'requires_action', event_ids: ['sevt_1'] }
  await world.database.write(() =>
    appendEvents(
      session.id,
      [
        { type: 'session.status_running' },
        { type: 'session.status_idle', body: { stop_reason: reason, stop_details: null } },
      ],
      { nowMs: world.clock.nowMs },
    ),
  )
  await sendAll()
  const events = received.map(({ body, headers: given }) =>
    world.client.beta.webhooks.unwrap(body, { headers: asText(given), key: signing_secret }),
  )
  expect(events.map(({ data }) => data.type).toSorted()).toEqual([
    'agent.created',
    'session.created',
    'session.requires_action',
    'session.status_idled',
  ])
  expect(events.find(({ data }) => data.type === 'session.status_idled')).toMatchObject({
    type: 'event',
    data: { id: session.id },
  })
  const [first] = received
  if (first === undefined) throw new Error('nothing was received')
  expect(first.headers['webhook-id']).toMatch(/^wevt_/)
  expect(() =>
    world.client.beta.webhooks.unwrap(first.body, {
      headers: asText(first.headers),
      key: `whsec_${Buffer.from('another').toString('base64')}`,
    }),
  ).toThrow()
  expect((await deliveriesTo(id)).map(({ state }) => state)).toEqual(Array(4).fill('delivered'))
  await world.client.beta.organization.webhooks.delete(id)
})

test('a change that fails or is undone sends no message', async () => {
  const { id } = await subscribe(['agent.created'])
  const { agents } = world.client.beta
  await expect(agents.create({ name: '', model: 'x' })).rejects.toMatchObject({ status: 400 })
  expect(await deliveriesTo(id)).toEqual([])
  await world.client.beta.organization.webhooks.delete(id)
})

test('retries with increasing delays under the same id, and stops after days', async () => {
  const { id } = await subscribe(['agent.created'])
  await world.client.beta.agents.create({ name: 'a', model: 'x' })
  status = 500
  await sendAll()
  expect(await deliveriesTo(id)).toMatchObject([
    { state: 'pending', attempts: 1, last_result: 'status 500' },
  ])
  const startMs = world.clock.nowMs
  for (let attempt = 2; attempt <= 20; attempt += 1) {
    const [{ next_attempt_at } = { next_attempt_at: null }] = await deliveriesTo(id)
    world.clock.nowMs = Date.parse(next_attempt_at ?? '') - 1
    expect(await sendSome(ports)).toBe(0)
    world.clock.nowMs += 1
    expect(await sendSome(ports)).toBe(1)
  }
  expect(await deliveriesTo(id)).toMatchObject([
    { state: 'failed', attempts: 20, next_attempt_at: null },
  ])
  expect(world.clock.nowMs - startMs).toBeGreaterThan(24 * 3_600_000)
  expect(new Set(received.map((each) => each.headers['webhook-id'])).size).toBe(1)
  world.clock.nowMs = Date.now()
  await world.client.beta.organization.webhooks.delete(id)
})

test('a sender that dies is replaced after a minute', async () => {
  const { id } = await subscribe(['agent.created'])
  await world.client.beta.agents.create({ name: 'b', model: 'x' })
  const never: SendPorts = { ...ports, fetch: () => new Promise(() => undefined) }
  void sendSome(never)
  await expect.poll(async () => (await deliveriesTo(id))[0]?.attempts).toBe(1)
  expect(await sendSome(ports)).toBe(0)
  world.clock.nowMs += 60_000
  expect(await sendSome(ports)).toBe(1)
  expect(received).toHaveLength(1)
  world.clock.nowMs = Date.now()
  await world.client.beta.organization.webhooks.delete(id)
})

test('private addresses are refused, and the log says why', async () => {
  const { id } = await subscribe(['agent.created'])
  await world.client.beta.agents.create({ name: 'c', model: 'x' })
  await sendSome({ ...ports, fetch: createGuardedFetch({}) })
  const [delivery] = await deliveriesTo(id)
  expect(delivery).toMatchObject({ state: 'pending', attempts: 1 })
  expect(delivery?.last_result).toMatch(/private|loopback|127\.0\.0\.1/)
  expect(received).toEqual([])
  await world.client.beta.organization.webhooks.delete(id)
})

test('addresses are managed with the client, and a disabled one gets no messages', async () => {
  const { webhooks } = world.client.beta.organization
  const one = await subscribe(['agent.created'])
  const two = await subscribe(['agent.created'], 'https://example.com/two')
  const ids: string[] = []
  for await (const each of webhooks.list({ limit: 1 })) ids.push(each.id)
  expect(ids.toSorted()).toEqual([one.id, two.id].toSorted())
  expect(JSON.stringify(await webhooks.retrieve(one.id))).not.toContain('whsec_')
  expect(await webhooks.update(one.id, { state: 'disabled', name: 'Off' })).toMatchObject({
    state: 'disabled',
    name: 'Off',
    enabled_events: ['agent.created'],
  })
  const { signing_secret } = await webhooks.regenerateSigningSecret(one.id)
  expect(signing_secret).not.toBe(one.signing_secret)
  await world.client.beta.agents.create({ name: 'd', model: 'x' })
  expect(await deliveriesTo(one.id)).toEqual([])
  expect(await deliveriesTo(two.id)).toHaveLength(1)
  await webhooks.delete(one.id)
  await webhooks.delete(two.id)
  await expect(webhooks.retrieve(one.id)).rejects.toMatchObject({ status: 404 })
})
