import { createHmac, timingSafeEqual } from 'node:crypto'
import type Anthropic from '@anthropic-ai/sdk'
import { hostedSettings } from '@steward/contract'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { say, textsOf } from './testing/follow.ts'
import { receiveWebhooks, subscribe } from './testing/receive-webhooks.ts'
import type { MessagesRequest } from './testing/scripted-messages.ts'
import { serveJson } from './testing/serve-json.ts'
import { call, customTool, startRecipes, toolResult } from './testing/start-recipes.ts'

// Recipes that connect an agent to a service: a database with its secret, an issue tracker with OAuth.

const receiver = await receiveWebhooks()
// Hooks run in reverse order: the server ends first.
afterAll(() => receiver.stop())
const recipes = await startRecipes({
  settings: hostedSettings.parse({ webhookPrivateHosts: [receiver.host] }),
})
const { client, environment_id } = recipes
const idled = ['session.status_idled']
const { signing_secret: key } = await subscribe(client, receiver.url, idled)

const SECRET = 'database-password'
const payment = z.object({ id: z.string(), from: z.string(), to: z.string(), cents: z.number() })
type Payment = z.infer<typeof payment>
const decision = z.object({ payment: z.string(), verdict: z.string(), by: z.string().optional() })

/** A database that only answers with its secret, and keeps every change. */
const serveDatabase = async () => {
  const pending: Payment[] = [
    { id: 'p1', from: 'ada', to: 'shop', cents: 1250 },
    { id: 'p2', from: 'ring-a', to: 'ring-b', cents: 91_000 },
    { id: 'p3', from: 'eve', to: 'shop', cents: 700 },
  ]
  const past: Payment[] = [
    { id: 'h1', from: 'ring-b', to: 'ring-c', cents: 90_000 },
    { id: 'h2', from: 'ring-c', to: 'ring-a', cents: 89_000 },
  ]
  const decisions: z.infer<typeof decision>[] = []
  const audit: string[] = []
  const service = await serveJson(({ path, authorization, body }) => {
    if (authorization !== `Bearer ${SECRET}`) throw new Error('no access')
    const asked = z.looseObject({ id: z.string().default('') }).parse(JSON.parse(body))
    const found = pending.find(({ id }) => id === asked.id)
    if (path === '/payment') return found ?? { error: 'not found' }
    if (path === '/mandate') return { valid: asked.id !== 'p3' }
    if (path === '/similar')
      return past.filter(({ cents }) => Math.abs(cents - (found?.cents ?? 0)) < 5000)
    if (path === '/ring') return { circular: followRing([...pending, ...past], asked.id) }
    decisions.push(decision.parse(asked))
    audit.push(body)
    return { stored: decisions.length }
  })
  return { ...service, decisions, audit }
}

/** Whether money that an account sends comes back to it. */
const followRing = (payments: readonly Payment[], account: string): boolean => {
  const seen = new Set<string>()
  for (let at = account; !seen.has(at); ) {
    seen.add(at)
    const next = payments.find(({ from }) => from === at)
    if (next === undefined) return false
    if (next.to === account) return true
    at = next.to
  }
  return false
}

/** The answer that a person gave to an escalation, as the model reads it. */
const verdictIn = ({ messages }: MessagesRequest): string =>
  /human says (\w+)/.exec(JSON.stringify(messages.at(-1)))?.[1] ?? 'none'

test('database: a program queries it for the agent, risky payments need a person, all is recorded', async () => {
  const database = await serveDatabase()
  const ids = ['p1', 'p2', 'p3']
  const decide = (id: string, verdict: string, by?: string) => ({
    name: 'decide',
    input: { payment: id, verdict, ...(by === undefined ? {} : { by }) },
  })
  const tools = ['payment', 'mandate', 'similar', 'ring'].map((name) => customTool(name, 'id'))
  const agent = await recipes.makeAgent(
    [
      { calls: ids.map((id) => ({ name: 'payment', input: { id } })) },
      { calls: ids.map((id) => ({ name: 'mandate', input: { id } })) },
      {
        calls: [
          decide('p3', 'reject'),
          { name: 'similar', input: { id: 'p1' } },
          { name: 'similar', input: { id: 'p2' } },
          { name: 'ring', input: { id: 'ring-a' } },
        ],
      },
      {
        calls: [
          decide('p1', 'approve'),
          { name: 'escalate', input: { payment: 'p2', recommended: 'reject' } },
        ],
      },
      { calls: (request) => [decide('p2', verdictIn(request), 'human')] },
      { says: 'All three are decided.' },
    ],
    {
      tools: [
        ...tools,
        customTool('decide', 'payment', 'verdict'),
        customTool('escalate', 'payment', 'recommended'),
      ],
    },
  )
  const session = await client.beta.sessions.create({
    agent: agent.pinned,
    environment_id,
    title: 'Review of payments',
  })
  const ask = async (name: string, input: unknown): Promise<string> => {
    const headers = { authorization: `Bearer ${SECRET}` }
    const sent = { method: 'POST', headers, body: JSON.stringify(input) }
    return (await fetch(`${database.url}/${name}`, sent)).text()
  }
  const { events } = client.beta.sessions
  const stream = await events.stream(session.id)
  await events.send(session.id, { events: [say('Review p1, p2 and p3.')] })
  const calls = new Map<string, Anthropic.Beta.Sessions.BetaManagedAgentsAgentCustomToolUseEvent>()
  const answered: string[] = []
  for await (const event of stream) {
    if (event.type === 'agent.custom_tool_use') calls.set(event.id, event)
    if (event.type !== 'session.status_idle') continue
    if (event.stop_reason.type !== 'requires_action') break
    for (const id of event.stop_reason.event_ids) {
      const asked = calls.get(id)
      if (asked === undefined || answered.includes(id)) continue
      answered.push(id)
      // The person decides otherwise than the agent recommends.
      const text =
        asked.name === 'escalate' ? 'human says approve' : await ask(asked.name, asked.input)
      await events.send(session.id, { events: [toolResult(id, text)] })
    }
  }
  expect(answered).toHaveLength(13)
  expect(database.decisions).toEqual([
    { payment: 'p3', verdict: 'reject' },
    { payment: 'p1', verdict: 'approve' },
    { payment: 'p2', verdict: 'approve', by: 'human' },
  ])
  expect(database.audit).toHaveLength(3)
  const heard = JSON.stringify(agent.asked())
  expect(heard).toMatch(/\\"valid\\":false.*\\"circular\\":true/s)
  const log: unknown[] = []
  for await (const event of events.list(session.id)) log.push(event)
  expect(`${heard}${JSON.stringify(log)}`).not.toContain(SECRET)
  await client.beta.sessions.archive(session.id)
  await client.beta.agents.archive(agent.id)
  await database.stop()
})

const SIGNED = 'signed by the tracker'
const sign = (body: string): string => createHmac('sha256', SIGNED).update(body).digest('hex')
const mention = z.object({ conversation: z.string(), organization: z.string(), text: z.string() })

/** An issue tracker that gives tokens to apps, and shows their comments. */
const serveTracker = async () => {
  const comments: string[] = []
  let issued = 0
  const service = await serveJson(({ path, authorization, body }) => {
    if (path === '/oauth/token') {
      const wanted = new URLSearchParams(body)
      const proof = wanted.get('code') ?? wanted.get('refresh_token')
      if (proof !== (issued === 0 ? 'code-1' : `refresh-${issued}`)) throw new Error('used before')
      issued += 1
      // The first token is over at once.
      return {
        access_token: `token-${issued}`,
        refresh_token: `refresh-${issued}`,
        expires_in: issued === 1 ? 0 : 3600,
      }
    }
    if (authorization !== `Bearer token-${issued}`) throw new Error('no access')
    comments.push(body)
    return { success: true }
  })
  return { ...service, comments, issued: () => issued }
}

test('issue tracker: a mention becomes a session, and its answer a comment', async () => {
  const tracker = await serveTracker()
  const agent = await recipes.makeAgent(
    [call('lookup', { word: 'login' }), { says: 'Issue 12 is about the login page.' }],
    { tools: [customTool('lookup', 'word')] },
  )
  interface Token {
    access_token: string
    refresh_token: string
    untilMs: number
  }
  const tokens = new Map<string, Token>()
  const token = z.object({
    access_token: z.string(),
    refresh_token: z.string(),
    expires_in: z.number(),
  })
  const exchange = async (organization: string, proof: Record<string, string>): Promise<string> => {
    const sent = { method: 'POST', body: new URLSearchParams(proof) }
    const found = token.parse(await (await fetch(`${tracker.url}/oauth/token`, sent)).json())
    tokens.set(organization, { ...found, untilMs: Date.now() + found.expires_in * 1000 })
    return found.access_token
  }
  const tokenOf = async (organization: string): Promise<string> => {
    const known = tokens.get(organization)
    if (known === undefined) throw new Error('not installed')
    if (known.untilMs > Date.now() + 60_000) return known.access_token
    return exchange(organization, { refresh_token: known.refresh_token })
  }
  const onMention = async (body: string, signature: string): Promise<string | undefined> => {
    if (!timingSafeEqual(Buffer.from(sign(body)), Buffer.from(signature))) return undefined
    const { conversation, organization, text } = mention.parse(JSON.parse(body))
    const session = await client.beta.sessions.create({
      agent: agent.pinned,
      environment_id,
      metadata: { tracker_conversation: conversation, tracker_organization: organization },
    })
    await client.beta.sessions.events.send(session.id, { events: [say(text)] })
    return session.id
  }
  const onIdled = async ({ data }: Anthropic.Beta.BetaWebhookEvent): Promise<boolean> => {
    const { metadata } = await client.beta.sessions.retrieve(data.id)
    const { tracker_conversation: conversation, tracker_organization: organization } = metadata
    if (conversation === undefined || organization === undefined) return false
    const log = []
    for await (const event of client.beta.sessions.events.list(data.id)) log.push(event)
    const waiting = log.findLast(({ type }) => type === 'agent.custom_tool_use')
    const [text] = textsOf(log).slice(-1)
    if (text === undefined) {
      const result = toolResult(waiting?.id ?? '', 'issue 12')
      await client.beta.sessions.events.send(data.id, { events: [result] })
      return true
    }
    const headers = { authorization: `Bearer ${await tokenOf(organization)}` }
    const comment = JSON.stringify({ conversation, text })
    await fetch(`${tracker.url}/comments`, { method: 'POST', headers, body: comment })
    return true
  }

  await exchange('acme', { code: 'code-1' })
  const body = JSON.stringify({ conversation: 'c7', organization: 'acme', text: 'Which issue?' })
  expect(await onMention(body, sign(`${body} `))).toBeUndefined()
  const session = (await onMention(body, sign(body))) ?? ''
  const [asks] = await receiver.wait(client, key, 'session.status_idled', session)
  if (asks === undefined) throw new Error('no webhook')
  expect(await onIdled(asks)).toBe(true)
  const [, done] = await receiver.wait(client, key, 'session.status_idled', session, 2)
  if (done === undefined) throw new Error('no second webhook')
  expect(await onIdled(done)).toBe(true)
  expect(tracker.comments).toEqual([
    JSON.stringify({ conversation: 'c7', text: 'Issue 12 is about the login page.' }),
  ])
  expect(tracker.issued()).toBe(2)

  // Sessions of other programs are reported to the same address.
  const other = await client.beta.sessions.create({ agent: agent.id, environment_id })
  await client.beta.sessions.events.send(other.id, { events: [say('Which issue?')] })
  const [foreign] = await receiver.wait(client, key, 'session.status_idled', other.id)
  if (foreign === undefined) throw new Error('no third webhook')
  expect(await onIdled(foreign)).toBe(false)
  await tracker.stop()
})
